import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { forThisMachine } from "../support/machine-settings.ts";
import { read } from "../support/reading.ts";
import { sandboxHere } from "../support/sandbox-levels.ts";
import { finish, program, untilSays } from "./cli-process.ts";

const { level, inSandbox } = await sandboxHere();

const packages = resolve("node_modules/@modelcontextprotocol");
const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-lean-")));
const home = join(root, "home");
const folder = join(root, "project");
const environment = { HAFT_HOME: home, PATH: process.env["PATH"] ?? "" };

const core = [
  "bash",
  "read",
  "write",
  "edit",
  "glob",
  "grep",
  "web_search",
  "artifact_read",
  "memory_recall",
  "memory_store",
  "browse_tools",
  "load_tools",
  "search_tools",
  "describe_tools",
  "call_tool",
];

const config = {
  tools: { search: { embedder: "none" } },
  mcpServers: {
    everything: { command: process.execPath, args: [join(packages, "server-everything/dist/index.js")] },
    disk: {
      command: process.execPath,
      args: [join(packages, "server-filesystem/dist/index.js"), folder],
      paths: [folder],
    },
    people: {
      command: process.execPath,
      args: [join(packages, "server-memory/dist/index.js")],
      env: { MEMORY_FILE_PATH: join(folder, "people.json") },
      paths: [folder],
    },
  },
  permissions: [
    { decision: "allow", tool: "disk__*" },
    { decision: "deny", tool: "everything__get-env", reason: "the environment is nobody's business" },
  ],
  hooks: [
    {
      id: "no-sums",
      type: "pre_tool",
      tools: ["everything__get-sum"],
      command: "echo sums are made by hand; exit 1",
    },
  ],
  agents: { reader: { allowedTools: ["read", "disk__read_text_file"] } },
  serve: {
    clients: {
      whole: { expose: "all" },
      editor: { packs: ["people"], tools: ["disk__read_*"] },
      reader: { agent: "reader" },
    },
  },
};

let served: ChildProcess;
let url: string;
let token: string;

beforeAll(async () => {
  mkdirSync(home);
  mkdirSync(folder);
  writeFileSync(join(home, "config.yml"), forThisMachine(JSON.stringify(config)));
  writeFileSync(join(folder, "a.txt"), "one\n");
  served = spawn(process.execPath, [program, "serve", "--port", "0", "--json", "--expose", "lean"], {
    cwd: folder,
    env: environment,
  });
  const said = await untilSays(served.stdout as NodeJS.ReadableStream, "\n");
  ({ url } = JSON.parse(said) as { url: string });
  token = readFileSync(join(home, "token"), "utf8").trim();
  // On a busy machine haft does not wait for its servers as long as they take to start.
  const client = new Client({ name: "first", version: "1.0.0" });
  await client.connect(overHttp("/whole"));
  const awaited = [
    "everything__echo",
    "people__read_graph",
    ...(level === "none" ? [] : ["disk__read_text_file"]),
  ];
  await vi.waitFor(
    async () => {
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(awaited));
    },
    { timeout: 60_000, interval: 200 },
  );
  await client.close();
});

afterAll(async () => {
  const ended = finish(served);
  served.kill("SIGTERM");
  await ended;
  rmSync(root, { recursive: true, force: true, maxRetries: 20 });
});

type Era = "legacy" | "auto";
type Transport = StreamableHTTPClientTransport | StdioClientTransport;

function overHttp(path = ""): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(`${url}${path}`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
}

/** An official client; every question of the gate is answered with a yes. */
async function connect(era: Era, transport: Transport = overHttp()) {
  const client = new Client(
    { name: "lean", version: "1.0.0" },
    {
      capabilities: { elicitation: { form: {} } },
      ...(era === "auto" && { versionNegotiation: { mode: "auto" as const } }),
    },
  );
  const asked: string[] = [];
  let changes = 0;
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.message);
    await read();
    return { action: "accept", content: { decision: "allow once" } };
  });
  client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: args });
    return result as typeof result & { structuredContent?: Record<string, unknown> };
  };
  const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
  return { call, names, asked, changes: () => changes };
}

/** The names that the ledger has, the newest first. */
async function recorded(): Promise<string[]> {
  const audit = spawn(process.execPath, [program, "audit", "--json"], { cwd: folder, env: environment });
  const { stdout } = await finish(audit);
  return (JSON.parse(stdout) as { toolName: string }[]).map(({ toolName }) => toolName);
}

describe.each(["legacy", "auto"] as const)("a lean list, client %s", (era) => {
  test("leads from a goal to the call of a tool that it does not have", inSandbox, async () => {
    const { call, names } = await connect(era);
    expect((await names()).toSorted()).toEqual(core.toSorted());
    const { categories } = (await call("browse_tools")).structuredContent as {
      categories: { name: string; tool_count: number }[];
    };
    expect(categories).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "disk", tool_count: 14 }),
        expect.objectContaining({ name: "people", tool_count: 9 }),
      ]),
    );
    const goal = "show the directory tree of a folder as nested JSON";
    const { tools } = (await call("search_tools", { goal })).structuredContent as {
      tools: { name: string }[];
    };
    expect(tools[0]).toMatchObject({ name: "disk__directory_tree" });
    const described = await call("describe_tools", { names: ["disk__directory_tree"] });
    expect(described.structuredContent).toMatchObject({
      tools: [{ name: "disk__directory_tree", parameters: { required: ["path"] } }],
    });
    const done = await call("call_tool", { name: "disk__directory_tree", arguments: { path: folder } });
    expect(done).toMatchObject({ _meta: { "haft/call": { tool: "disk__directory_tree" } } });
    expect(JSON.stringify(done.content)).toContain("a.txt");
    expect(await call("call_tool", { name: "disk__read_txt", arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("disk__read_text_file") }],
    });
  });

  test("hides nothing from rules, hooks, people and the ledger", async () => {
    const { call, asked } = await connect(era);
    const through = (name: string, args: object) => call("call_tool", { name, arguments: args });
    expect(await through("everything__get-env", {})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("nobody's business") }],
    });
    expect(await through("everything__get-sum", { a: 2, b: 3 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('hook "no-sums": sums are made by hand') }],
    });
    expect(asked).toEqual([]);
    expect(await through("everything__echo", { message: "hello" })).toMatchObject({
      content: [{ text: "Echo: hello" }],
    });
    expect(asked).toEqual([expect.stringContaining("everything__echo")]);
    expect(asked[0]).not.toContain("call_tool");
    const [first, ...others] = await recorded();
    expect(first).toBe("everything__echo");
    expect(others).not.toContain("call_tool");
  });
});

test("a session loads tools for itself alone, behind what it has, and is told", async () => {
  const [one, other] = await Promise.all([connect("legacy"), connect("legacy")]);
  const before = await one.names();
  const loaded = await one.call("load_tools", { category: "people" });
  expect(loaded.structuredContent).not.toHaveProperty("toolset");
  await vi.waitFor(() => expect(one.changes()).toBeGreaterThan(0), 30_000);
  const after = await one.names();
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length)).toHaveLength(9);
  const changes = one.changes();
  await one.call("load_tools", { category: "people" });
  expect(await one.names()).toEqual(after);
  expect(await other.names()).toEqual(before);
  expect([one.changes(), other.changes()]).toEqual([changes, 0]);
});

test("a client of 2026-07-28 has the same list always, and is given a handle", inSandbox, async () => {
  const { call, names } = await connect("auto");
  const before = await names();
  const { toolset } = (await call("load_tools", { tool: "people__read_graph" })).structuredContent as {
    toolset: string;
  };
  const more = await call("load_tools", { tool: "disk__list_directory", toolset });
  expect(more.structuredContent).toMatchObject({ tools_added: ["disk__list_directory"] });
  const both = (more.structuredContent as { toolset: string }).toolset;
  const described = await call("describe_tools", { toolset: both });
  expect(JSON.stringify(described.structuredContent)).toMatch(/people__read_graph.*disk__list_directory/);
  expect(await names()).toEqual(before);
});

describe("clients of the configuration", () => {
  test("have their own lists, each at its own address", inSandbox, async () => {
    const [whole, editor, reader] = await Promise.all(
      ["/whole", "/editor", "/reader"].map((path) => connect("auto", overHttp(path))),
    );
    const all = await whole?.names();
    expect(all).toEqual(expect.arrayContaining(["bash", "everything__echo", "people__read_graph"]));
    expect(all).not.toContain("call_tool");
    const edited = await editor?.names();
    expect(edited?.filter((name) => !core.includes(name)).toSorted()).toEqual(
      (all ?? []).filter((name) => /^people__|^disk__read_/.test(name)).toSorted(),
    );
    expect((await reader?.names())?.toSorted()).toEqual(["disk__read_text_file", "read"]);
    expect(await reader?.call("call_tool", { name: "bash", arguments: { command: "true" } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('the agent "reader"') }],
    });
  });

  test("are served over stdio too", async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp", "--client", "editor", "--expose", "lean"],
      cwd: folder,
      env: environment,
      stderr: "inherit",
    });
    const { names } = await connect("legacy", transport);
    expect(await names()).toEqual(expect.arrayContaining([...core, "people__read_graph"]));
    expect(await names()).not.toContain("everything__echo");
  });

  test("of another name are refused, and those there are are named to who may come in", async () => {
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch(`${url}/edtor`, { method: "POST", headers });
      return { status: response.status, text: await response.text() };
    };
    expect(await ask({ authorization: `Bearer ${token}` })).toEqual({
      status: 404,
      text: expect.stringContaining("/mcp/whole, /mcp/editor, /mcp/reader"),
    });
    expect((await ask({})).text).not.toContain("editor");
    const started = spawn(process.execPath, [program, "mcp", "--client", "edtor"], {
      cwd: folder,
      env: environment,
    });
    expect(await finish(started)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('Cannot find a client "edtor"; did you mean editor'),
    });
  });

  test("are told how to come in by --print-config", async () => {
    const printed = spawn(process.execPath, [program, "serve", "--print-config", "editor", "--json"], {
      cwd: folder,
      env: environment,
    });
    const { stdout } = await finish(printed);
    const [{ forms }] = JSON.parse(stdout) as [{ forms: { text: string }[] }];
    expect(forms[0]?.text).toContain("/mcp/editor");
    expect(forms[1]?.text).toContain('"--client"');
  });
});
