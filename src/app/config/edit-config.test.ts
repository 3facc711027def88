import {
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseConfig } from "./config.ts";
import { replaceConfig, withDeniedTool, withoutServer, withServer } from "./edit-config.ts";

const server = {
  name: "files",
  command: "npx",
  args: ["-y", "@x/files", "null", " a", "#b"],
  env: { A: "1" },
};
const file = "config.yml";

const commented = `# what haft may do
mode: ask # for now

tools: { timeout: 5000 }

mcpServers:
  # the first one
  memory: # small
    command: memory

  docs: { url: "https://example.com/mcp" }
# the end
`;

test("withServer() adds a server at the end, and withoutServer() leaves the file as it was", async () => {
  for (const text of ["", "# only this\n", commented, "mode: ask\nmcpServers: {}\n"]) {
    const added = await withServer(text, server, file);
    const { name, ...entry } = server;
    const { mcpServers } = await parseConfig(added, file, () => undefined);
    expect(Object.entries(mcpServers ?? {}).at(-1)).toEqual([name, entry]);
    for (const line of text.split("\n").filter((one) => one.includes("#"))) expect(added).toContain(line);
    const removed = await withoutServer(added, name, file);
    if (!text.includes("{}")) expect(removed).toBe(text);
  }
});

test("withDeniedTool() adds a tool to the list of a server, and leaves all else with its comments", async () => {
  const [memory, docs] = [
    { server: "memory", tool: "forget" },
    { server: "docs", tool: "a: b #" },
  ];
  const once = (await withDeniedTool(commented, memory, file)) ?? "";
  const twice = (await withDeniedTool(once, docs, file)) ?? "";
  expect(await withDeniedTool(twice, docs, file)).toBe(twice);
  expect(await parseConfig(twice, file, () => undefined)).toMatchObject({
    mode: "ask",
    mcpServers: {
      memory: { command: "memory", deny: ["forget"] },
      docs: { url: "https://example.com/mcp", deny: ["a: b #"] },
    },
  });
  for (const comment of commented.match(/#[^\n]+/g) ?? []) expect(twice).toContain(comment);
  const list =
    "mcpServers:\n  - name: a\n    command: x\n    deny: [one]\n  - name: b\n    command: y # why\n";
  expect(await withDeniedTool(list, { server: "a", tool: "two" }, file)).toBe(
    list.replace("[one]", "[ one, two ]"),
  );
  expect(await withDeniedTool(commented, { server: "other", tool: "x" }, file)).toBeUndefined();
});

test("withoutServer() takes one server with what is said of it, and leaves the others and their comments", async () => {
  expect(await withoutServer(commented, "memory", file)).toBe(
    commented.replace(/ {2}memory[^\n]*\n[^\n]*\n/, ""),
  );
  expect(await withoutServer(commented, "other", file)).toBeUndefined();
  const list = "mcpServers:\n  - name: a\n    command: x\n  - name: b\n    command: y # why\n";
  expect(await withoutServer(list, "a", file)).toBe("mcpServers:\n  - name: b\n    command: y # why\n");
  const older = "tools:\n  timeout: 5000\n  mcpServers:\n    a:\n      command: x\n";
  expect(await withoutServer(older, "a", file)).toBe("tools:\n  timeout: 5000\n");
});

test("withServer() writes into a list where servers are one", async () => {
  const list = "mcpServers:\n  - name: a\n    command: x\n";
  expect(await withServer(list, { name: "b", url: "https://b.example" }, file)).toBe(
    `${list}  - name: b\n    url: https://b.example\n`,
  );
});

test.for([
  ["a name that is there", "mcpServers: { files: { command: x } }", "CONFIG_INVALID"],
  [
    "a name that is there by the older key",
    "tools: { mcpServers: [{ name: files, command: x }] }",
    "CONFIG_INVALID",
  ],
  ["no YAML", "mode: [", "CONFIG_SYNTAX"],
  ["no object", "- a\n", "CONFIG_INVALID"],
  ["servers that are no servers", "mcpServers: all\n", "CONFIG_INVALID"],
  ["servers by an alias, which others would get too", "x: &x { a: 1 }\nmcpServers: *x\n", "CONFIG_INVALID"],
] as const)("withServer() refuses %s", async ([, text, code]) => {
  await expect(withServer(text, server, file)).rejects.toMatchObject({ code });
});

test("replaceConfig() writes all or nothing, through links, and keeps the rights of the file", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-edit-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [real, link] = [join(folder, "real.yml"), join(folder, "link.yml")];
  writeFileSync(real, "a", { mode: 0o640 });
  symlinkSync(real, link);
  replaceConfig(link, "a", "b");
  expect(readFileSync(real, "utf8")).toBe("b");
  expect(statSync(real).mode & 0o777).toBe(0o640);
  expect(() => replaceConfig(link, "a", "c")).toThrow(expect.objectContaining({ code: "CONFIG_CHANGED" }));
  expect(readFileSync(real, "utf8")).toBe("b");
  const made = join(folder, "new", "config.yml");
  replaceConfig(made, undefined, "x");
  expect([readFileSync(made, "utf8"), statSync(made).mode & 0o777]).toEqual(["x", 0o600]);
});
