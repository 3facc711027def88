import type { ChildProcess } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { forThisMachine } from "../support/machine-settings.ts";
import { finish, Place, program, untilSays } from "./cli-process.ts";

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly warnings: readonly string[];
}

/** Starts `haft serve` on a free port and waits until it listens. */
async function serve(
  place: Place,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const child = place.start(["serve", "--port", "0", "--json", ...args], environment);
  const said = await untilSays(child.stdout as NodeJS.ReadableStream, "\n");
  const { url, warnings } = JSON.parse(said) as { url: string; warnings: readonly string[] };
  return { child, url, warnings, token: readFileSync(join(place.home, "token"), "utf8").trim() };
}

function post(
  url: string,
  message: unknown,
  headers: Record<string, string>,
): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const sent = request(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
    });
    sent.on("error", fail).on("response", (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => void (body += text));
      response.on("end", () => done({ status: response.statusCode ?? 0, body }));
    });
    sent.end(JSON.stringify(message));
  });
}

test("haft serve in the home folder works in no folder, and says so, unless the folder is named", async () => {
  const place = new Place();
  const inHome = { HOME: place.folder };
  const named = await serve(place, ["--folder", place.folder], inHome);
  expect(named.warnings).toEqual([]);
  const { url, token, warnings } = await serve(place, [], inHome);
  expect(warnings).toMatchObject([
    expect.stringContaining("which is no project (it is the whole home folder)"),
  ]);
  const { body } = await post(url, initialize, { authorization: `Bearer ${token}` });
  expect(body).toContain("haft serve --folder DIR");
  expect(body).not.toContain(`These tools work in ${place.folder}`);
});

test("haft serve answers who has the token, and nobody else", async () => {
  const place = new Place();
  const { url, token, child } = await serve(place);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  expect(statSync(join(place.home, "token")).mode & 0o077).toBe(0);
  expect(await post(url, initialize, {})).toMatchObject({ status: 401 });
  expect(await post(url, initialize, { authorization: `Bearer ${"x".repeat(43)}` })).toMatchObject({
    status: 401,
  });
  expect(
    await post(url, initialize, { authorization: `Bearer ${token}`, host: "attacker.example" }),
  ).toMatchObject({ status: 403 });
  expect(
    await post(url, initialize, { authorization: `Bearer ${token}`, origin: "https://attacker.example" }),
  ).toMatchObject({ status: 403 });
  const answered = await post(url, initialize, { authorization: `Bearer ${token}` });
  expect(answered.status).toBe(200);
  expect(JSON.parse(answered.body)).toMatchObject({
    id: 1,
    result: { serverInfo: { name: "haft" }, instructions: expect.stringContaining(place.folder) },
  });
  expect(answered.body).toContain("look with memory_recall");
  const ended = finish(child);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ exitCode: 0, stderr: "" });
});

test("haft serve says what to do where the port is taken", async () => {
  const place = new Place();
  const { url } = await serve(place);
  const port = new URL(url).port;
  expect(await place.run(["serve", "--port", port])).toEqual({
    exitCode: 6,
    stdout: "",
    stderr: expect.stringMatching(
      /another haft has that port: http:.* or choose another with --port \[LISTEN_BUSY\]\n$/,
    ),
  });
});

test("haft serve says where it listens, what asks, and what clients need, without the token in a log", async () => {
  const place = new Place();
  const child = place.start(["serve", "--port", "0", "--profile", "task"]);
  const said = await untilSays(child.stdout as NodeJS.ReadableStream, "Ctrl-C stops it");
  for (const part of [
    place.folder,
    join(place.home, "token"),
    forThisMachine("") === "" ? "`haft init` writes one" : join(place.home, "config.yml"),
    "claude mcp add",
    "codex mcp add",
    "mcpServers",
  ]) {
    expect(said).toContain(part);
  }
  expect(said).toMatch(/^ {2}tools +\d+: file \d+, network \d+/m);
  expect(said).toMatch(
    /^ {2}isolation +(?:commands are refused: )?(?:bubblewrap|unshare|other-user|process-group|none): /m,
  );
  const isolation = /^ {2}isolation +((?:.|\n {14,})*)/m.exec(said)?.[1]?.replaceAll(/\s+/g, " ") ?? "";
  if (isolation.includes("bubblewrap is not installed"))
    expect(isolation).toContain('"apt install bubblewrap"');
  expect(said).not.toContain(readFileSync(join(place.home, "token"), "utf8").trim());
});

test("haft serve warns of a project's configuration that nobody trusts", async () => {
  const place = new Place();
  writeFileSync(join(place.folder, "haft.config.yml"), "permissions: [{ decision: allow }]\n");
  const child = place.start(["serve", "--port", "0", "--json"]);
  expect(await untilSays(child.stderr as NodeJS.ReadableStream, "haft trust")).toContain("is not trusted");
});

test("haft serve --print-config prints the forms of one client, and names them all where it has none", async () => {
  const place = new Place();
  const { stdout } = await place.run(["serve", "--print-config", "cursor", "--json", "--port", "4999"]);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      client: "Cursor",
      forms: [
        { transport: "http", content: { mcpServers: { haft: { url: "http://127.0.0.1:4999/mcp" } } } },
        {
          transport: "stdio",
          content: {
            mcpServers: {
              haft: {
                command: process.execPath,
                args: [program, "mcp", "--home", place.home],
              },
            },
          },
        },
      ],
    },
  ]);
  expect(await place.run(["serve", "--print-config", "nobody"])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("there are claude-code, codex,"),
  });
});

test("haft mcp speaks the protocol on standard output and nothing else, and ends with its input", async () => {
  const place = new Place();
  writeFileSync(join(place.folder, "haft.config.yml"), "permissions: [{ decision: allow }]\n");
  writeFileSync(join(place.folder, "note.txt"), "here\n");
  const child = place.start(["mcp"]);
  const answers = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const ask = async (message: object) => {
    child.stdin?.write(`${JSON.stringify(message)}\n`);
    return JSON.parse(String((await answers.next()).value)) as { result: Record<string, unknown> };
  };
  expect(await ask(initialize)).toMatchObject({ id: 1, result: { serverInfo: { name: "haft" } } });
  child.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const listed = await ask({ jsonrpc: "2.0", id: 2, method: "tools/list" });
  expect(listed.result["tools"]).toEqual(expect.arrayContaining([expect.objectContaining({ name: "read" })]));
  const read = { name: "read", arguments: { path: "note.txt" } };
  expect(await ask({ jsonrpc: "2.0", id: 3, method: "tools/call", params: read })).toMatchObject({
    result: { content: [{ type: "text", text: expect.stringContaining("here") }] },
  });
  const bash = { name: "bash", arguments: { command: "sh run.sh" } };
  expect(await ask({ jsonrpc: "2.0", id: 4, method: "tools/call", params: bash })).toMatchObject({
    result: {
      isError: true,
      content: [{ text: expect.stringMatching(/a person answers the question a_\w+/) }],
    },
  });
  child.stdin?.end();
  expect((await answers.next()).done).toBe(true);
  const { stdout } = await place.run(["audit", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject([
    { toolName: "bash", state: "denied", channel: "mcp" },
    { toolName: "read", state: "completed", channel: "mcp" },
  ]);
});

test("haft mcp ends when it is told to, and leaves cleanly", async () => {
  const place = new Place();
  const child = place.start(["mcp"]);
  child.stdin?.write(`${JSON.stringify(initialize)}\n`);
  await untilSays(child.stdout as NodeJS.ReadableStream, "serverInfo");
  const ended = new Promise((done) => child.once("close", done));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});
