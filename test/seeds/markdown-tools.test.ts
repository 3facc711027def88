import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defineTool, ToolContent } from "../../src/kernel/index.ts";
import { Operator } from "../../src/server/index.ts";
import { openTestBridge } from "../support/bridge.ts";
import { Installation } from "../support/installation.ts";
import { answering } from "../support/questions.ts";
import { UserTools, usualRules } from "../support/user-tools.ts";

// The forms of a system whose tools are Markdown files, a manifest, MCP servers and a bridge to a desktop.

const release = `---
id: release
name: "Release to Test"
description: "Puts a branch on the test machine"
category: "release"
parameters:
  - name: branch
    type: string
    description: "Which branch"
    required: true
  - name: follow
    type: boolean
    description: "Stay until it is there"
    required: false
    default: true
command: "bash scripts/release.sh {{branch}}"
timeout: 300
confirm: true
icon: "rocket"
---

# Release

## Care

Ask somebody before a release on a Friday.
`;

const seedData = `---
id: load-rows
name: "Load Rows"
description: "Loads rows into the database, or takes them out"
category: "database"
parameters:
  - name: way
    type: "string"
    enum: ["in", "out"]
    description: "Which way"
    required: true
  - name: count
    type: "number"
    description: "How many"
    required: false
    default: 1
  - name: table
    type: string
    description: "Which table"
    required: false
    default: "pets"
    pattern: "^[a-z]+$"
command: "go run rows.go --way {{way}} --count {{count}} --table {{table}}"
timeout: 120
confirm: true
environment:
  ROWS_URL: "\${ROWS_DB}"
  ROWS_DIR: "db/rows"
---

# Rows
`;

const manifest = `{
  "id": "garden",
  "name": "The Garden",
  "version": "1.0.0",
  "tools": [
    {
      "id": "water",
      "name": "Water the beds",
      "description": "Turns the water on for a while",
      "icon": "drop",
      "command": "scripts/water.sh"
    }
  ]
}`;

const yes = () => answering({ approved: true, by: "ada" }, "ada");

test("a tool in Markdown runs as it is written, once a person has said yes", async () => {
  const approver = yes();
  const tools = new UserTools({ approver });
  tools.write("agent/tools/release.md", release);
  tools.write("scripts/release.sh", 'printf "releasing <%s>" "$@"');
  await tools.markdown.start();
  expect(await tools.call("release", { branch: "feature/x y; id" })).toMatchObject({
    success: true,
    text: "releasing <feature/x y; id>",
    result: { exit_code: 0 },
  });
  expect(approver.asked).toMatchObject([
    {
      params: { branch: "feature/x y; id", follow: true },
      effects: [
        { kind: "run", target: "bash scripts/release.sh 'feature/x y; id'" },
        { kind: "read", target: tools.folder },
      ],
      offers: [],
    },
  ]);
  expect(tools.registry.get("release")).toMatchObject({
    title: "Release to Test",
    category: "release",
    origin: "markdown",
    timeoutMs: 300_000,
    confirm: true,
    icons: [{ src: "icon:rocket" }],
    description: expect.stringContaining("Ask somebody before a release on a Friday."),
  });
});

test("its parameters may have enum, default and pattern, and its environment variables of haft's own", async () => {
  const tools = new UserTools({
    approver: yes(),
    variables: { ROWS_DB: "postgres://app:pass-word-9@db/main" },
  });
  // In place of the program that the example starts.
  chmodSync(tools.write("bin/go", '#!/bin/sh\necho "$@ with $ROWS_DIR and $ROWS_URL"\n'), 0o755);
  tools.write("agent/tools/load-rows.md", seedData);
  await tools.markdown.start();
  const result = await tools.call("load-rows", { way: "in" });
  expect(result).toMatchObject({ success: true });
  expect(result.text).toMatch(/^run rows\.go --way in --count 1 --table pets with db\/rows and postgres:/);
  expect(result.text).not.toContain("pass-word-9");
  for (const params of [{ way: "up" }, { way: "in", table: "Pets; drop" }, {}])
    expect(await tools.call("load-rows", params)).toMatchObject({ code: "TOOL_VALIDATION" });
});

test("a manifest offers its tool, with the space as its origin", async () => {
  const tools = new UserTools();
  tools.write("space.manifest.json", manifest);
  chmodSync(tools.write("scripts/water.sh", "#!/bin/sh\necho watered\n"), 0o755);
  await tools.manifest.start();
  expect(tools.manifest.problems()).toEqual([]);
  expect(tools.registry.get("water")).toMatchObject({ origin: "manifest:garden", pack: "garden" });
  expect(await tools.call("water")).toMatchObject({ success: true, text: "watered" });
});

test("a tool with `confirm` is refused where nobody can be asked, whatever rules allow", async () => {
  const tools = new UserTools({ rules: [...usualRules, { decision: "allow" }] });
  tools.write("agent/tools/release.md", release);
  await tools.markdown.start();
  expect(await tools.call("release", { branch: "main" })).toMatchObject({ code: "TOOL_PERMISSION" });
});

test("a file with `mcp: true` calls the tool of its server", async () => {
  const asked: unknown[] = [];
  const mcpTool = async (server: string, name: string) =>
    defineTool({
      name: "made",
      description: "Opens a ticket.",
      parameters: { type: "object" },
      execute: (params) => {
        asked.push([server, name, params]);
        return new ToolContent([{ type: "text", text: "opened" }], undefined, "untrusted");
      },
    });
  const tools = new UserTools({ services: { mcpTool } });
  tools.write(
    "agent/tools/open-ticket.md",
    `---
id: open-ticket
name: "Open a ticket"
description: "Opens a ticket"
mcp: true
server: "tracker"
timeout: 30
parameters:
  - name: title
    type: string
    description: "What it is about"
    required: true
---
`,
  );
  await tools.markdown.start();
  expect(await tools.call("open-ticket", { title: "Door squeaks" })).toMatchObject({ text: "opened" });
  expect(asked).toEqual([["tracker", "open-ticket", { title: "Door squeaks" }]]);
});

async function openSpace(config = "") {
  const installation = new Installation();
  const { folder } = installation;
  writeFileSync(join(folder, "a.ts"), "let a = 1;\nlet b = 2;\n");
  const place = await installation.open(`tools: { search: { embedder: none } }\n${config}`);
  const call: typeof place.call = (...given) => place.call(...given);
  return { app: place.app, folder, installation, call };
}

describe("the tools that every space has take their calls", () => {
  test("one after the other, with absolute paths", async () => {
    const { call, folder } = await openSpace();
    const path = join(folder, "a.ts");
    const calls: readonly (readonly [string, object, string])[] = [
      ["read", { path, limit: 1, offset: 0 }, "let a = 1;"],
      ["edit", { path, old_string: "let", new_string: "const", replace_all: true }, "2 occurrences"],
      ["write", { path, content: "const a = 1;\nconst b = 3;\n" }, "a.ts"],
      ["glob", { pattern: "**/*.ts", path: folder }, "a.ts"],
      ["grep", { pattern: "b = \\d", path: folder, type: "ts", context: 1 }, "const a = 1;"],
      ["grep", { pattern: "b = \\d", path: folder, "-C": 1 }, "const a = 1;"],
      ["listdir", { path: folder, recursive: true }, "a.ts"],
      ["bash", { command: "cat a.ts", cwd: folder }, "const b = 3;"],
    ];
    for (const [tool, params, says] of calls) {
      const result = await call(tool, params);
      expect(result, tool).toMatchObject({ success: true, text: expect.stringContaining(says) });
    }
  });

  test("but not for what destroys, for secrets, or over a file that was not read", async () => {
    const { call, folder } = await openSpace();
    for (const [tool, params] of [
      ["bash", { command: `rm -rf ${folder}` }],
      ["bash", { command: "git push --force" }],
      ["write", { path: join(folder, ".env"), content: "KEY=1" }],
    ] as const)
      expect(await call(tool, params)).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(await call("write", { path: join(folder, "a.ts"), content: "" })).toMatchObject({
      success: false,
      error: expect.stringContaining("read"),
    });
  });
});

test("a hook before a call sees it as JSON in a variable, and its exit code says no", async () => {
  const installation = new Installation();
  installation.write(
    "home/agent/hooks/quiet.md",
    `---
id: quiet
type: pre_tool
tools: ["read"]
command: 'case "$TOOL_INPUT" in *diary*) echo "the diary is private" >&2; exit 1;; esac'
---
`,
  );
  writeFileSync(join(installation.folder, "diary.txt"), "Dear diary\n");
  writeFileSync(join(installation.folder, "list.txt"), "Milk\n");
  const place = await installation.open("tools: { search: { embedder: none } }");
  expect(await place.call("read", { path: "list.txt" })).toMatchObject({ text: "Milk\n" });
  expect(await place.call("read", { path: "diary.txt" })).toMatchObject({
    code: "TOOL_BLOCKED",
    error: expect.stringContaining("the diary is private"),
  });
});

test("an operator sends a tool's name and input on its wire, and dispatches an agent with a list of tools", async () => {
  const { app, folder } = await openSpace();
  const operator = new Operator({ registry: app.registry, executor: app.executor, context: app.context });
  const ask = (message: object) => operator.answer(JSON.stringify(message), AbortSignal.timeout(60_000));
  expect(await ask({ type: "tool", name: "bash", input: { command: "echo hei", cwd: folder } })).toEqual({
    type: "tool_result",
    id: expect.any(String),
    content: expect.stringContaining("hei"),
  });
  expect(await ask({ type: "tool", id: "t1", name: "read", input: { path: "none" } })).toMatchObject({
    type: "tool_result",
    id: "t1",
    error: expect.stringContaining("not found"),
  });
  const dispatched = await ask({
    type: "dispatch",
    agentID: "gardener",
    context: { tools: ["read", "grep"] },
  });
  expect(dispatched).toMatchObject({ agentID: "gardener", tools: ["read", "grep"] });
  const { sessionID } = dispatched as { sessionID: string };
  expect(await ask({ type: "tool", sessionID, name: "bash", input: { command: "ls" } })).toMatchObject({
    code: "TOOL_NOT_AVAILABLE",
  });
});

test("an agent's blocked tools are taken from it", async () => {
  const { call } = await openSpace('agents: { gardener: { blockedTools: ["bash", "web_*"] } }');
  for (const tool of ["bash", "web_read"])
    expect(await call(tool, {}, { agentId: "gardener" })).toMatchObject({ code: "TOOL_NOT_CALLABLE" });
  expect(await call("read", { path: "a.ts" }, { agentId: "gardener" })).toMatchObject({ success: true });
});

test("a desktop on the bridge is invoked for its file picker", async () => {
  const { executor, join: connect } = await openTestBridge();
  const host = await connect();
  const properties = { title: { type: "string" }, multiple: { type: "boolean" } };
  await host.announce([
    {
      name: "show_file_picker",
      description: "Choose files.",
      parameters: { type: "object", properties },
      annotations: { readOnly: true, openWorld: false },
    },
  ]);
  const params = { title: "Which files", multiple: true };
  const call = executor.execute("show_file_picker", params);
  const invoke = await host.hear();
  expect(invoke).toMatchObject({ type: "invoke", name: "show_file_picker", params });
  host.say({ type: "result", id: invoke["id"], value: ["/home/ada/a.txt", "/home/ada/b.txt"] });
  expect(await call).toMatchObject({ success: true, result: ["/home/ada/a.txt", "/home/ada/b.txt"] });
});
