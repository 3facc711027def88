import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { sandboxHere } from "../support/sandbox-levels.ts";
import { Place } from "./cli-process.ts";
import { hasTerminal, noTerminal, PseudoTerminal } from "./pseudo-terminal.ts";

const { inSandbox } = await sandboxHere();
const filesystem = resolve("node_modules/.bin/mcp-server-filesystem");

function ownConfig(place: Place): string {
  return readFileSync(join(place.home, "config.yml"), "utf8");
}

test(
  "haft mcp add gives a known server what it needs, and lets its read-only tools run unasked, where it is told so",
  inSandbox,
  async () => {
    const place = new Place();
    writeFileSync(join(place.folder, "a.txt"), "hello\n");
    const command = ["--", process.execPath, filesystem, place.folder];
    const added = await place.run([
      "mcp",
      "add",
      "files",
      "--suggested",
      "--trust-read-only",
      "--yes",
      ...command,
    ]);
    expect(added).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ownConfig(place)).toMatch(/trust:\s+readOnly:\s+read_file: "?[0-9a-f]{32}/);
    expect(ownConfig(place)).toContain(`paths:\n      - ${place.folder}\n`);
    const read = (server: string) =>
      place.run(["call", `${server}__read_text_file`, "-a", `path=${place.folder}/a.txt`]);
    expect(await read("files")).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("hello") });
    const write = ["-a", `path=${place.folder}/b.txt`, "-a", "content=x"];
    expect((await place.run(["call", "files__write_file", ...write])).exitCode).toBe(4);

    const plain = await place.run(["mcp", "add", "plain", "--yes", ...command]);
    expect(plain.stderr).toContain(`plain is known to need more than it may do here: --path ${place.folder}`);
    expect((await read("plain")).exitCode).toBe(4);
  },
);

test("haft mcp add asks at a terminal for what the server needs, and for its read-only tools", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const place = new Place();
  const terminal = new PseudoTerminal(place, [
    "mcp",
    "add",
    "files",
    "--",
    process.execPath,
    filesystem,
    place.folder,
  ]);
  await terminal.shows("files is known to need this");
  terminal.type("y");
  await terminal.shows("Let haft start this program?");
  terminal.type("y");
  await terminal.shows(/these \d+ tools that files calls read-only/);
  terminal.type("y");
  expect((await terminal.ended).exitCode).toBe(0);
  expect(ownConfig(place)).toMatch(/trust:\s+readOnly:\s+read_file: "?[0-9a-f]{32}/);
});

test("haft mcp add warns where a relative path goes into the owner's own file, and proposes --project", async () => {
  const place = new Place();
  writeFileSync(join(place.folder, "server.mjs"), "");
  mkdirSync(join(place.folder, "data"));
  const add = (name: string, ...words: string[]) =>
    place.run(["mcp", "add", name, "--yes", "--no-connect", ...words]);
  const relative = await add(
    "own",
    "--path",
    "./data",
    "--",
    "node",
    "server.mjs",
    "./absent.mjs",
    "data",
    ".",
  );
  expect(relative).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(
      `own names server.mjs, ./data of this folder, and will be in your own file, which holds for every folder: add --project to keep it with this one, or write the whole path, ${join(place.folder, "server.mjs")}`,
    ),
  });
  for (const words of [
    ["--project", "--path", "./data", "--", "node", "server.mjs"],
    ["--", "node", join(place.folder, "server.mjs"), "data", "."],
  ])
    expect((await add("own", "--replace", ...words)).stderr).not.toContain("of this folder");
});

test("haft mcp import takes folders and hosts for the servers that it is told", async () => {
  const place = new Place();
  const servers = { memory: { command: "mcp-server-memory" }, fetch: { command: "mcp-server-fetch" } };
  writeFileSync(join(place.folder, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
  const more = ["--host", "example.com", "--path", ".", "--yes"];
  expect(await place.run(["mcp", "import", ...more])).toMatchObject({ exitCode: 2 });
  const imported = await place.run(["mcp", "import", "fetch", ...more]);
  expect(imported.exitCode).toBe(0);
  expect(ownConfig(place)).toMatch(/fetch:[\s\S]*hosts:\s+- example\.com\s+paths:\s+- \./);
  expect(ownConfig(place)).not.toContain("memory");
});

test(
  "haft mcp import --trust-read-only writes which definitions are believed, never that all are",
  inSandbox,
  async () => {
    const place = new Place();
    const offered = join(place.folder, "offered.json");
    const tool = (name: string, readOnlyHint: boolean) => ({
      name,
      inputSchema: { type: "object", properties: {} },
      annotations: { readOnlyHint },
    });
    writeFileSync(offered, JSON.stringify([tool("peek", true), tool("poke", false)]));
    const args = [resolve("test/fixtures/mcp-client/changing-stdio.ts"), offered];
    const servers = {
      sum: { command: process.execPath, args },
      gone: { command: join(place.folder, "absent") },
    };
    writeFileSync(join(place.folder, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
    const imported = await place.run(["mcp", "import", "sum", "gone", "--trust-read-only", "--yes"]);
    expect(ownConfig(place)).toMatch(/sum:[\s\S]*trust:\s+readOnly:\s+peek: "?[0-9a-f]{32}"?\s/);
    expect(ownConfig(place)).not.toMatch(/poke|readOnly: true/);
    expect(imported.stderr).toContain("which tools gone calls read-only is not known");
    expect(imported.stderr).not.toContain("which tools sum");
  },
);

test("haft mcp add --trust-read-only believes nothing of a server that it can't ask", async () => {
  const place = new Place();
  const add = ["mcp", "add", "gone", "--trust-read-only", "--yes"];
  const absent = ["--", join(place.folder, "absent")];
  expect(await place.run([...add, "--no-connect", ...absent])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--no-connect"),
  });
  expect((await place.run([...add, ...absent])).stderr).toContain(
    "which tools gone calls read-only is not known",
  );
  expect(ownConfig(place)).not.toContain("trust");
});
