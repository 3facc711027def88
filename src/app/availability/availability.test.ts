import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";
import { sandboxHere } from "../../../test/support/sandbox-levels.ts";
import { readVariable } from "../../host/index.ts";
import { loadConfig } from "../config/load-config.ts";
import { strayEntries, strayPins } from "./stray-entries.ts";
import { findWhereabouts } from "./whereabouts.ts";

const { inSandbox } = await sandboxHere();
const notCallable = { success: false, code: "TOOL_NOT_CALLABLE" };
/** Opens an app, with its calls as a function of their own. */
async function openAt(place: Installation, config = "") {
  const opened = await place.open(config);
  const call = (...given: Parameters<typeof opened.call>) => opened.call(...given);
  return { app: opened.app, call };
}

const agentFile = (fields: string) => `---\n${fields}\n---\nYou plan.\n`;

describe("agents", () => {
  test("each list of each file binds: a project's can't give back what its user took, nor the other way round", async () => {
    const place = new Installation();
    place.home.write(
      "config.yml",
      "agents: { a: { blockedTools: [sleep], allowedTools: [sleep, 'json_*', get_env] } }",
    );
    place.write(
      "project/haft.config.yml",
      "agents: { a: { allowedTools: ['*'], blockedTools: [json_stringify] } }",
    );
    place.write(
      "project/agent/config.md",
      agentFile("id: a\nallowedTools: [sleep, json_parse, json_stringify, bash]"),
    );
    const { app, call } = await openAt(place);
    await app.sources.ready();
    const usable = app.executor.toolset({ agentId: "a" }).usable();
    expect(usable.map(({ name }) => name)).toEqual(["json_parse"]);
    expect(app.executor.toolset({ agentId: "space:a" }).usable()).toEqual(usable);
    expect(await call("json_parse", { text: "1" }, { agentId: "a" })).toMatchObject({ success: true });
    for (const name of ["sleep", "json_stringify", "bash", "get_env"])
      expect(await call(name, {}, { agentId: "a" })).toMatchObject(notCallable);
    expect(await call("current_time", {}, { agentId: "b" })).toMatchObject({ success: true });
    expect(app.loaded.trusted).toBe(false);
  });

  test("of a project that is not trusted the lists of agents are taken, and nothing else of it", async () => {
    const place = new Installation();
    place.write("project/haft.config.yml", "agents: { a: { blockedTools: [bash] } }\ntools: { timeout: 1 }");
    const loaded = await loadConfig(place.home, place.folder, { variable: readVariable });
    expect(loaded.project).toEqual({ agents: { a: { blockedTools: ["bash"] } } });
  });

  test("a file that can't be read leaves every agent no tools, and calls of none alone", async () => {
    const place = new Installation();
    place.write("project/agent/config.md", "blockedTools: [bash]\n");
    const { app, call } = await openAt(place);
    expect(await call("json_parse", { text: "1" }, { agentId: "anybody" })).toMatchObject(notCallable);
    expect(await call("json_parse", { text: "1" })).toMatchObject({ success: true });
    expect(app.sources.problems()).toMatchObject([{ code: "FRONT_MATTER_MISSING" }]);
  });

  async function openBlocked() {
    const place = new Installation();
    place.write("project/agent/config.md", agentFile("id: a\nblockedTools: [bash]"));
    const { call } = await openAt(place, "permissions: [{ decision: allow }]");
    const path = join(place.folder, "agent/config.md");
    return { call, path, read: () => readFileSync(path, "utf8") };
  }

  test("no tool for files can change the file that takes tools away", async () => {
    const { call, path, read } = await openBlocked();
    expect(await call("write", { path, content: "---" })).toMatchObject({ code: "PATH_PROTECTED" });
    expect(read()).toContain("blockedTools: [bash]");
  });

  test("no command in the sandbox can change the file that takes tools away", inSandbox, async () => {
    const { call, read } = await openBlocked();
    await call("bash", { command: "rm -rf agent; mv agent other; : > agent/config.md; true" });
    expect(read()).toContain("blockedTools: [bash]");
  });

  test("where agents are written down, calls are made in the name of one of them, or of the one that was named", async () => {
    const place = new Installation();
    const rules = "permissions: [{ decision: deny, tool: bash, agent: 'guest*' }]";
    const { app } = await place.open(`agents: { a: { blockedTools: [bash] } }\n${rules}`);
    expect(["a", "space:a", "guest_1", "b", ""].map((id) => app.agents.has(id))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    const one = await place.open("", { agent: "a" });
    expect([one.app.context.agentId, one.app.agents.has("a"), one.app.agents.has("guest_1")]).toEqual([
      "a",
      true,
      false,
    ]);
    expect(await one.call("bash", { command: "true" })).toMatchObject(notCallable);
    const free = await new Installation().open();
    expect(free.app.agents.has("anybody")).toBe(true);
  });

  test("an entry that names no tool is found, with the tool that was meant", async () => {
    const { app } = await new Installation().open(
      "agents: { a: { blockedTools: [write_file, bash, 'mcp_*'] } }",
    );
    expect(strayEntries(app.agents.findLimits({ agentId: "a" }), app.registry.list())).toMatchObject([
      { entry: "write_file", list: 'blockedTools of the agent "a"', nearest: ["write"] },
      { entry: "mcp_*" },
    ]);
  });
});

describe("where a name would come from", () => {
  const tool = (id: string) => agentFile(`id: ${id}\nname: T\ndescription: Does it.\ncommand: echo hi`);

  test("a file that is not trusted, one whose name is taken, one with a fault", async () => {
    const place = new Installation();
    place.write("project/agent/tools/deploy.md", tool("deploy"));
    place.write("home/agent/tools/sleep.md", tool("sleep"));
    place.write("home/agent/tools/broken.md", agentFile("id: broken"));
    const { app } = await place.open("", { sources: "once" });
    await app.sources.settled();
    const found = async (name: string) =>
      (await findWhereabouts(app, name)).map(({ kind, message }) => [kind, message]);
    expect(await found("deploy")).toEqual([["SOURCE_NOT_TRUSTED", expect.stringContaining("haft trust")]]);
    expect(await found("sleep")).toContainEqual([
      "name taken",
      expect.stringContaining("the name is taken by a tool of"),
    ]);
    expect(await found("broken")).toContainEqual(["FIELD_MISSING", expect.stringContaining("description")]);
    expect(await found("nothing_at_all")).toEqual([]);
  });

  test("another profile", async () => {
    const { app } = await new Installation().open();
    expect(await findWhereabouts(app, "read_file")).toMatchObject([
      { kind: "profile", remedy: expect.stringContaining("--profile task") },
      { kind: "profile", remedy: expect.stringContaining("--profile full") },
      { kind: "profile", remedy: expect.stringContaining("--profile queue") },
    ]);
    expect(await findWhereabouts(app, "read")).toEqual([]);
  });

  test("an MCP server that is off, one that can't be reached, and one that keeps the tool back", async () => {
    const { app } = await new Installation().open(
      "mcpServers: { up: { command: x, rename: { old: new } } }",
      {
        sources: "none",
      },
    );
    const health = { tools: 0, calls: 0, failures: 0, reconnects: 0, strays: 0, problems: [] };
    const quarantined = [{ name: "changed", reason: "its description is another" }];
    const mcp = {
      health: () => [
        { ...health, server: "off", status: "disabled", quarantined: [] } as const,
        { ...health, server: "gone", status: "failed", reason: "no such program", quarantined: [] } as const,
        { ...health, server: "up", status: "ready", quarantined } as const,
      ],
      listTools: (server: string) =>
        server === "up" ? ["old", "send", "changed"].map((name) => ({ name, inputSchema: {} })) : [],
    } as unknown as NonNullable<Parameters<typeof findWhereabouts>[0]["sources"]["mcp"]>;
    const sources = { mcp, problems: () => [] };
    const found = async (name: string) =>
      (await findWhereabouts({ ...app, sources }, name)).map(({ message, remedy }) => [message, remedy]);
    expect(await found("off__x")).toEqual([
      [
        'it would come from the MCP server "off", which is turned off',
        "set enabled of mcpServers.off to true",
      ],
    ]);
    expect(await found("gone__x")).toEqual([
      ['it would come from the MCP server "gone", which is failed: no such program', "haft mcp status gone"],
    ]);
    expect(await found("up__new")).toEqual([
      [
        'the MCP server "up" has it, and its allow and deny lists leave it out',
        "change allow or deny of mcpServers.up",
      ],
    ]);
    expect(await found("up__changed")).toEqual([
      [expect.stringContaining("its description is another"), "haft mcp review up"],
    ]);
    expect(await found("up__sned")).toEqual([
      ['the MCP server "up" has no tool of this name; it has up__send, up__new, up__changed', undefined],
    ]);
  });
});

test("strayPins() are the pins that name no tool, with the names that are near", async () => {
  const { app } = await new Installation().open("permissions: []");
  expect(strayPins(["read", "http_*", "red", "zzz_*"], app.registry.list())).toMatchObject([
    { entry: "red", list: "tools.pinned", nearest: expect.arrayContaining(["read"]) },
    { entry: "zzz_*", nearest: [] },
  ]);
});
