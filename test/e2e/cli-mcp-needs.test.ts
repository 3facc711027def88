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

test("haft mcp import takes folders, hosts and the yes to read-only tools for the servers that it is told", async () => {
  const place = new Place();
  const servers = { memory: { command: "mcp-server-memory" }, fetch: { command: "mcp-server-fetch" } };
  writeFileSync(join(place.folder, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
  const more = ["--host", "example.com", "--path", ".", "--trust-read-only", "--yes"];
  expect(await place.run(["mcp", "import", ...more])).toMatchObject({ exitCode: 2 });
  const imported = await place.run(["mcp", "import", "fetch", ...more]);
  expect(imported.exitCode).toBe(0);
  expect(ownConfig(place)).toMatch(
    /fetch:[\s\S]*hosts:\s+- example\.com\s+paths:\s+- \.\s+trust:\s+readOnly: true/,
  );
  expect(ownConfig(place)).not.toContain("memory");
});
