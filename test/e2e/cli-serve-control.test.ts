import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { maxLogBytes } from "../../src/host/log-file.ts";
import { Place } from "./cli-process.ts";

interface Serving {
  readonly pid: number;
  readonly url: string;
  readonly folder: string;
}

/** A server in the background, ended with the test. */
async function detach(place: Place, ...args: string[]): Promise<Serving> {
  const started = await place.run(["serve", "--detach", "--json", "--port", "0", ...args]);
  expect(started).toMatchObject({ exitCode: 0, stderr: "" });
  const serving = JSON.parse(started.stdout) as Serving;
  onTestFinished(() => {
    try {
      process.kill(serving.pid, "SIGKILL");
    } catch {
      // It was stopped.
    }
  });
  return serving;
}

test("haft serve --detach in the home folder says that it works in no folder", async () => {
  const place = new Place();
  const inHome = { HOME: place.folder };
  const started = await place.run(["serve", "--detach", "--json", "--port", "0"], "", inHome);
  expect(started.stderr).toContain("which is no project (it is the whole home folder)");
  expect(JSON.parse(started.stdout)).toMatchObject({ folder: place.folder });
  expect(readFileSync(join(place.home, "serving", "serve.log"), "utf8")).toContain("which is no project");
  expect(await place.run(["serve", "stop"], "", inHome)).toMatchObject({ exitCode: 0 });
});

test("haft serve --detach says why the server ended where it can't listen", async () => {
  const place = new Place();
  const { url } = await detach(place);
  const { port } = new URL(url);
  const again = await place.run(["serve", "--detach", "--port", port]);
  expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("another haft has that port") });
});

test("haft serve --detach listens in the background, status lists it, stop ends it", async () => {
  const place = new Place();
  const none = await place.run(["serve", "status"]);
  expect(none).toMatchObject({ exitCode: 3, stdout: "", stderr: expect.stringContaining("--detach") });
  const { pid, url, folder } = await detach(place);
  expect(folder).toBe(place.folder);
  const answer = await fetch(url, { method: "POST" });
  expect(answer.status).toBe(401);
  const status = await place.run(["serve", "status", "--json"]);
  expect([status.exitCode, JSON.parse(status.stdout)]).toEqual([
    0,
    [{ pid, url, folder, startedAt: expect.any(Number) }],
  ]);
  expect((await place.run(["serve", "status"])).stdout).toContain(url);
  const stopped = await place.run(["serve", "stop"]);
  expect(stopped).toEqual({ exitCode: 0, stdout: `Stopped ${url} (process ${pid})\n`, stderr: "" });
  await expect(fetch(url)).rejects.toThrow();
  expect(await place.run(["serve", "stop"])).toMatchObject({ exitCode: 3 });
});

test("haft serve --detach cuts its log while it runs, and keeps the newest lines", async () => {
  const place = new Place();
  const log = join(place.home, "serving", "serve.log");
  mkdirSync(dirname(log), { recursive: true });
  // The next line is one too many.
  writeFileSync(log, `${"old\n".repeat(maxLogBytes / 4 - 1)}new\n`);
  const { url } = await detach(place);
  const kept = readFileSync(log, "utf8");
  expect(kept.length).toBeLessThan(maxLogBytes * 0.6);
  expect(kept).toContain("old\nnew\n");
  expect(kept).toContain(url);
});

test("haft serve says which haft has its port, and of a strange one nothing more", async () => {
  const place = new Place();
  const { url, pid } = await detach(place);
  const { port } = new URL(url);
  const again = await place.run(["serve", "--port", port]);
  expect(again).toMatchObject({ exitCode: 6, stdout: "" });
  expect(again.stderr).toContain(`another haft has that port: ${url}, for ${place.folder} (process ${pid})`);
  const other = await new Place().run(["serve", "--port", port]);
  expect(other.stderr).toContain(`another haft has that port: ${url}; connect to it`);
  expect(other.stderr).not.toContain(place.folder);
});

test("haft doctor says who has the port: which haft, or another program", async () => {
  const place = new Place();
  const { url, pid } = await detach(place);
  const { port } = new URL(url);
  const finding = async (PORT: string) => {
    const { stdout } = await place.run(["doctor", "--json"], "", { PORT });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; detail: string }[] };
    return checks.find(({ name }) => name === "port");
  };
  expect(await finding(port)).toMatchObject({
    status: "warning",
    detail: `127.0.0.1:${port} is taken by another haft: ${url}, for ${place.folder} (process ${pid})`,
    remedy: expect.stringContaining("haft serve stop"),
  });
  const server = createServer((_request, response) => void response.end("hello"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const strange = String((server.address() as AddressInfo).port);
  expect(await finding(strange)).toMatchObject({
    status: "warning",
    detail: `127.0.0.1:${strange} is taken by another program`,
  });
});

test("no haft sends its token to a program that says it is a haft, nor believes what that says", async () => {
  const place = new Place();
  const { url, pid, folder } = await detach(place);
  const heard: string[] = [];
  const squatter = createServer((request, response) => {
    heard.push(JSON.stringify(request.headers));
    response.end(JSON.stringify({ name: "haft", pid: process.pid, url: own, folder, startedAt: 1 }));
  });
  await new Promise<void>((done) => squatter.listen(0, "127.0.0.1", done));
  onTestFinished(() => void squatter.close());
  const { port } = squatter.address() as AddressInfo;
  const own = `http://127.0.0.1:${port}/mcp`;
  const record = { pid: process.pid, url: own, folder, startedAt: 1 };
  writeFileSync(join(place.home, "serving", `${process.pid}.json`), JSON.stringify(record));
  const status = await place.run(["serve", "status", "--json"]);
  expect((JSON.parse(status.stdout) as Serving[]).map((one) => one.url)).toEqual([url]);
  expect((await place.run(["serve", "--port", String(port)])).stderr).not.toContain(`process ${process.pid}`);
  expect(heard).toHaveLength(2);
  for (const name of ["token", "owner-token"])
    expect(heard.join("")).not.toContain(readFileSync(join(place.home, name), "utf8").trim());
  // What was heard is no good at the haft that has the token.
  for (const headers of heard.map((text) => JSON.parse(text) as Record<string, string>)) {
    const asked = { "haft-proof": headers["haft-proof"] ?? "" };
    const answer = await fetch(new URL("/haft", url), { headers: asked });
    expect(await answer.json()).toEqual({ name: "haft" });
  }
  expect(pid).not.toBe(process.pid);
});

test("haft serve says that another program has its port, and hears PORT", async () => {
  const server = createServer((_request, response) => void response.end("hello"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const port = String((server.address() as AddressInfo).port);
  const taken = await new Place().run(["serve"], "", { PORT: port });
  expect(taken).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining(`127.0.0.1:${port}": another program has that port`),
  });
  expect(await new Place().run(["serve"], "", { PORT: "http" })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("Cannot use PORT=http"),
  });
});

test("haft serve stop signals no process that is not a haft of this home", async () => {
  const place = new Place();
  await detach(place).then(({ pid, url }) => {
    // A record that names another process: this test.
    const record = { pid: process.pid, url, folder: place.folder, startedAt: 1 };
    writeFileSync(join(place.home, "serving", `${process.pid}.json`), JSON.stringify(record));
    expect(pid).not.toBe(process.pid);
  });
  const { stdout } = await place.run(["serve", "status", "--json"]);
  expect((JSON.parse(stdout) as Serving[]).map(({ pid }) => pid)).not.toContain(process.pid);
});

test("haft serve --print-service prints a service that starts this haft for this folder", async () => {
  const place = new Place();
  const systemd = await place.run(["serve", "--print-service", "systemd", "--port", "4300"]);
  expect(systemd.exitCode).toBe(0);
  const [, line = ""] = /^ExecStart=(.*)$/m.exec(systemd.stdout) ?? [];
  expect(line).toContain(` serve --folder ${place.folder} --home ${place.home} --port 4300`);
  expect(line).not.toContain("--print-service");
  // The line starts a haft.
  const version = spawnSync("sh", ["-c", `${line.replace(/ serve .*$/, "")} --version`], {
    encoding: "utf8",
  });
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const launchd = await place.run(["serve", "--print-service", "launchd"]);
  expect(launchd.stdout).toMatch(/<string>serve<\/string>\n +<string>--folder<\/string>/);
});

test("haft serve --print-service writes no line that a folder's name made up", async () => {
  const place = new Place();
  for (const [manager, name] of [
    ["systemd", "a\nExecStartPre=true"],
    ["systemd", "ends in \\"],
    ["launchd", "a\u0007b"],
  ] as const) {
    const folder = join(place.folder, name);
    mkdirSync(folder);
    const printed = await place.run(["serve", "--print-service", manager, "--folder", folder]);
    expect(printed).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining("rename it") });
  }
  const odd = join(place.folder, '50% of "it" & <more>');
  mkdirSync(odd);
  const systemd = await place.run(["serve", "--print-service", "systemd", "--folder", odd]);
  expect(systemd.stdout).toContain('/50%% of \\"it\\" & <more>"');
  expect(systemd.stdout).toMatch(/^WorkingDirectory=.*\/50%% of "it" & <more>$/m);
});
