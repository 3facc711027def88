import { expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";
import { strayEntries, strayPins } from "../availability/index.ts";
import { reflectionTools } from "../collections.ts";
import { parseConfig } from "../config/config.ts";
import { modules } from "../modules.ts";
import { chooseCoreTools } from "../selection/core-tools-of.ts";
import { expandPacks, packNames } from "./tool-packs.ts";

const agentFile = (fields: string) => `---\nid: a\n${fields}\n---\nHelp.\n`;

test("a list of an agent that names a collection leaves it the collection's tools alone", async () => {
  const opened = await new Installation().open(
    "{ tools: { profile: task }, agents: { a: { allowedTools: ['pack:data', 'pack:reflectionTools'] } } }",
  );
  const { app } = opened;
  const usable = app.executor.toolset({ agentId: "a" }).usable();
  // The collection names the tools of every vocabulary of memory; this profile has one.
  const reflecting = reflectionTools.tools.filter((name) => app.registry.get(name) !== undefined);
  expect(reflecting).toContain("memory_write");
  expect(usable.map(({ name }) => name).toSorted()).toEqual(
    ["json_parse", "json_stringify", "base64_encode", "base64_decode", ...reflecting].toSorted(),
  );
  expect(await opened.call("json_parse", { text: "1" }, { agentId: "a" })).toMatchObject({ success: true });
  expect(await opened.call("sleep", { ms: 1 }, { agentId: "a" })).toMatchObject({
    code: "TOOL_NOT_CALLABLE",
  });
  expect(strayEntries(app.agents.findLimits({ agentId: "a" }), app.registry.list())).toEqual([]);
});

test("a pack that an agent's file blocks is blocked whole", async () => {
  const place = new Installation();
  place.write("project/agent/config.md", agentFile("blockedTools: ['pack:data', sleep]"));
  const opened = await place.open("permissions: [{ decision: allow }]");
  const { app } = opened;
  expect(await opened.call("json_parse", { text: "1" }, { agentId: "a" })).toMatchObject({ success: false });
  expect(await opened.call("sleep", { ms: 1 }, { agentId: "a" })).toMatchObject({ success: false });
  expect(await opened.call("current_time", {}, { agentId: "a" })).toMatchObject({ success: true });
  expect(app.sources.problems().filter(({ code }) => code !== "SOURCE_NOT_TRUSTED")).toEqual([]);
});

test("an agent's file that names no pack is wrong, leaves its agent nothing, and says which were meant", async () => {
  const place = new Installation();
  place.write("project/agent/config.md", agentFile("blockedTools: ['pack:allTaskTool']"));
  const opened = await place.open("permissions: [{ decision: allow }]");
  const { app } = opened;
  expect(await opened.call("json_parse", { text: "1" }, { agentId: "a" })).toMatchObject({ success: false });
  expect(app.sources.problems()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        message: expect.stringContaining(
          '"pack:allTaskTool" names no pack; did you mean "pack:allTaskTools"',
        ),
      }),
    ]),
  );
});

test.each([
  ["agents: { a: { blockedTools: ['pack:fils'] } }", 'agents.a.blockedTools: "pack:fils" names no pack'],
  ["tools: { pinned: ['pack:xyzzy'] }", 'the tools of an MCP server go by "NAME__*"'],
  ["serve: { clients: { c: { tools: ['pack:networks'] } } }", 'did you mean "pack:network"'],
])("a configuration that names no pack is refused: %s", async (text, message) => {
  const read = parseConfig(text, "haft.config.yml", () => undefined);
  await expect(read).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining(message),
  });
});

test("a pinned pack is in every list, and none of its tools counts as a slip", async () => {
  const { app } = await new Installation().open("tools: { pinned: ['pack:data', 'red'] }");
  expect(chooseCoreTools("coding", app.loaded.config).core).toEqual(
    expect.arrayContaining(["json_parse", "base64_decode", "red"]),
  );
  const strays = strayPins(app.loaded.config.tools?.pinned ?? [], app.registry.list());
  expect(strays.map(({ entry }) => entry)).toEqual(["red"]);
});

test("every module's collection, and every pack, can be named", () => {
  const collections = modules.flatMap(({ families = {}, collections: own = {} }) => [
    ...Object.values(families).flatMap(({ collections: some = {} }) => Object.keys(some)),
    ...Object.keys(own),
  ]);
  expect(packNames).toEqual(expect.arrayContaining([...new Set(collections)]));
  expect(packNames).toEqual(expect.arrayContaining(["files", "network", "tasks", "memory"]));
  for (const name of packNames) expect(expandPacks([`pack:${name}`]).length).toBeGreaterThan(0);
  expect(() => expandPacks(["pack:nothing"])).toThrow(RangeError);
});
