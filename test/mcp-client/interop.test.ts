import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ToolUpdate } from "../../src/kernel/index.ts";
import type { McpServerConfig, ServerQuestion } from "../../src/mcp/index.ts";
import { openMcp } from "../support/mcp-servers.ts";
import { freeSteadyPort } from "../support/steady-port.ts";

const packages = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol", import.meta.url));
const everything = join(packages, "server-everything/dist/index.js");

interface Everything {
  readonly over: string;
  readonly config: () => Partial<McpServerConfig>;
  readonly transport: string;
}

const started: ChildProcess[] = [];
const ports: Record<string, number> = {};

beforeAll(async () => {
  for (const kind of ["sse", "streamableHttp"]) {
    // The server can't say which port it got.
    const port = await freeSteadyPort();
    ports[kind] = port;
    const server = spawn(process.execPath, [everything, kind], {
      env: { ...process.env, PORT: String(port) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    started.push(server);
    let said = "";
    while (!/on port/.test(said)) {
      const [chunk] = (await once(server.stderr as NonNullable<typeof server.stderr>, "data")) as [Buffer];
      said += chunk.toString();
    }
    server.stderr?.resume();
  }
});

afterAll(async () => {
  for (const server of started) {
    server.kill("SIGKILL");
    await once(server, "exit");
  }
});

const ways: readonly Everything[] = [
  {
    over: "stdio",
    transport: "stdio",
    config: () => ({ command: process.execPath, args: [everything, "stdio"] }),
  },
  {
    over: "Streamable HTTP",
    transport: "streamable-http",
    config: () => ({ url: `http://127.0.0.1:${ports["streamableHttp"]}/mcp` }),
  },
  {
    over: "SSE",
    transport: "sse",
    config: () => ({ url: `http://127.0.0.1:${ports["sse"]}/sse`, type: "sse" }),
  },
];

describe.each(ways)("server-everything over $over", ({ config, transport }) => {
  async function open(options: Parameters<typeof openMcp>[0] = {}, more: Partial<McpServerConfig> = {}) {
    const opened = openMcp(options);
    onTestFinished(() => opened[Symbol.asyncDispose]());
    await opened.connections.connectAll([{ name: "everything", ...config(), ...more }]);
    const call = (tool: string, args: object = {}, context = {}) =>
      opened.executor.execute(`everything__${tool}`, args, context);
    return { ...opened, call };
  }

  test("is connected in that way, and its tools are listed", async () => {
    const { connections, registry } = await open();
    expect(connections.health()[0]).toMatchObject({
      status: "ready",
      transport,
      protocolVersion: "2025-11-25",
    });
    expect(registry.checkAll()).toEqual([]);
    expect(registry.get("everything__echo")).toMatchObject({
      description: expect.stringMatching(/^\[everything\] /),
      category: "mcp",
      pack: "everything",
      origin: "mcp:everything",
    });
  });

  test("answers with text, pictures, links, resources and data", async () => {
    const { call } = await open();
    expect(await call("echo", { message: "hello" })).toMatchObject({
      text: "Echo: hello",
      trust: "untrusted",
    });
    expect(await call("get-tiny-image")).toMatchObject({
      content: expect.arrayContaining([expect.objectContaining({ type: "image", mimeType: "image/png" })]),
    });
    expect(await call("get-resource-links", { count: 2 })).toMatchObject({
      content: expect.arrayContaining([expect.objectContaining({ type: "resource_link" })]),
    });
    expect(await call("get-resource-reference", { resourceType: "Text", resourceId: 1 })).toMatchObject({
      content: expect.arrayContaining([expect.objectContaining({ type: "resource" })]),
    });
    expect(await call("get-structured-content", { location: "New York" })).toMatchObject({
      success: true,
      result: { temperature: expect.any(Number) },
    });
  });

  test("has its arguments checked before it is asked", async () => {
    const { call, connections } = await open();
    expect(await call("get-sum", { a: 1, b: { c: 2 } })).toMatchObject({
      success: false,
      code: "TOOL_VALIDATION",
    });
    expect(connections.health()[0]).toMatchObject({ calls: 0 });
  });

  test("tells of progress, in order, up to the last", async () => {
    const { call } = await open();
    const updates: ToolUpdate[] = [];
    const args = { duration: 0.2, steps: 4 };
    const result = await call("trigger-long-running-operation", args, {
      onUpdate: (update: ToolUpdate) => updates.push(update),
    });
    expect(result.success).toBe(true);
    expect(updates.map((update) => update.type === "progress" && update.progress)).toEqual([1, 2, 3, 4]);
  });

  test("is told when a call is cancelled, and works on", async () => {
    const { call } = await open();
    const controller = new AbortController();
    const running = call(
      "trigger-long-running-operation",
      { duration: 30, steps: 300 },
      { signal: controller.signal, onUpdate: () => controller.abort() },
    );
    expect(await running).toMatchObject({ success: false, code: "TOOL_CANCELLED" });
    expect(await call("echo", { message: "still here" })).toMatchObject({ text: "Echo: still here" });
  });

  test("asks a person in the middle of a call, who answers or is not there", async () => {
    const asked: ServerQuestion[] = [];
    const { call } = await open({
      asker: {
        ask: async (question) => {
          asked.push(question);
          return { action: "accept", content: { name: "Ada", extra: "not asked for" } };
        },
      },
    });
    const answered = await call("trigger-elicitation-request");
    expect(answered.text).toContain("Ada");
    expect(answered.text).not.toContain("not asked for");
    expect(asked).toMatchObject([{ mode: "form", server: "everything", schema: { type: "object" } }]);
    const alone = await open();
    expect((await alone.call("trigger-elicitation-request")).text).toMatch(/declined/i);
  });

  test("has resources and prompts, which tools read", async () => {
    const { executor } = await open();
    const listed = await executor.execute("mcp_list_resources", { server: "everything" });
    const [entry] = (listed as { result: { servers: { resources: { uri: string }[] }[] } }).result.servers;
    const uri = entry?.resources[0]?.uri;
    const read = await executor.execute("mcp_read_resource", { server: "everything", uri });
    expect(read).toMatchObject({
      success: true,
      trust: "untrusted",
      content: [{ type: "resource", resource: { uri } }],
    });
    expect((await executor.execute("mcp_list_prompts", {})).text).toContain("simple-prompt");
    const prompt = await executor.execute("mcp_get_prompt", { server: "everything", name: "simple-prompt" });
    expect(prompt.text).toMatch(/^user:\n/);
    expect(await executor.execute("mcp_read_resource", { server: "everythin", uri })).toMatchObject({
      success: false,
      code: "MCP_UNKNOWN_SERVER",
      error: expect.stringContaining('did you mean "everything"'),
    });
  });

  test("hears of the folders of a call where its owner says so", async () => {
    const { call } = await open({}, { roots: true });
    const told = await call("get-roots-list", {}, { allowedPaths: ["/srv/project"] });
    expect(told.text).toContain("/srv/project");
  });
});

describe("servers of files and of memory", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "haft-mcp-"));
    mkdirSync(join(folder, "notes"));
    writeFileSync(join(folder, "notes", "a.txt"), "alpha");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("server-filesystem reads and writes what it is given", async () => {
    await using mcp = openMcp();
    const command = process.execPath;
    const args = [join(packages, "server-filesystem/dist/index.js"), folder];
    await mcp.connections.connectAll([{ name: "files", command, args }]);
    const read = await mcp.executor.execute("files__read_text_file", {
      path: join(folder, "notes", "a.txt"),
    });
    expect(read.text).toContain("alpha");
    const written = await mcp.executor.execute("files__write_file", {
      path: join(folder, "b.txt"),
      content: "beta",
    });
    expect(written.success).toBe(true);
    expect(readFileSync(join(folder, "b.txt"), "utf8")).toBe("beta");
    expect(await mcp.executor.execute("files__read_text_file", { path: "/etc/passwd" })).toMatchObject({
      success: false,
      code: "MCP_TOOL_FAILED",
      error: expect.stringContaining("Access denied"),
    });
  });

  test("server-memory remembers", async () => {
    await using mcp = openMcp();
    const env = { MEMORY_FILE_PATH: join(folder, "memory.json") };
    const args = [join(packages, "server-memory/dist/index.js")];
    await mcp.connections.connectAll([{ name: "memory", command: process.execPath, args, env }]);
    const entities = [{ name: "Ada", entityType: "person", observations: ["wrote the first program"] }];
    expect(await mcp.executor.execute("memory__create_entities", { entities })).toMatchObject({
      success: true,
    });
    const found = await mcp.executor.execute("memory__search_nodes", { query: "Ada" });
    expect(found).toMatchObject({ success: true, result: { entities } });
  });
});
