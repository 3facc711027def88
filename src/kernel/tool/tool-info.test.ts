import { expect, test } from "vitest";
import { createTestExecutor } from "../../../test/support/test-executor.ts";
import { PackCatalogue, ToolSearch } from "../../search/index.ts";
import type { Hook } from "../call/hooks.ts";
import { ToolInteraction } from "../registry/interaction/tool-interaction.ts";
import { defineTool, type Tool } from "./tool.ts";
import { toToolInfo } from "./tool-info.ts";
import { withVersions } from "./versions.ts";

const danger = defineTool({
  name: "danger",
  description: "Do what must not be done.",
  parameters: { type: "object" },
  effects: () => [{ kind: "delete", target: "/everything", within: false }],
  execute: () => "ran danger",
});

/** What can be reached from a value by reading its properties, calling its listing methods and iterating it. */
function reachable(start: unknown): { readonly path: string; readonly value: unknown }[] {
  const found: { path: string; value: unknown }[] = [];
  const seen = new Set<unknown>();
  const pending = [{ path: "it", value: start }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, value } = next;
    if (value === null || (typeof value !== "object" && typeof value !== "function") || seen.has(value))
      continue;
    seen.add(value);
    found.push(next);
    const add = (key: string, read: () => unknown) => {
      try {
        pending.push({ path: `${path}.${key}`, value: read() });
      } catch {} // A getter of a prototype, read on the prototype itself.
    };
    for (
      let owner: unknown = value;
      owner !== null && owner !== Object.prototype;
      owner = Object.getPrototypeOf(owner)
    )
      for (const key of Reflect.ownKeys(owner as object))
        if (owner !== Function.prototype && owner !== Array.prototype)
          add(String(key), () => Reflect.get(owner as object, key, value));
    for (const [name, given] of Object.entries({ of: "danger", shown: undefined, usable: undefined }))
      add(`${name}()`, () => {
        const listing: unknown = typeof value === "object" && Reflect.get(value, name);
        return typeof listing === "function" ? listing.call(value, given) : undefined;
      });
    if (value instanceof Map || value instanceof Set) add("values", () => [...value.entries()]);
  }
  return found;
}

/** The paths by which a tool could be run, or asked what it would do. */
function waysToRun(start: unknown, tools: readonly Tool[]): string[] {
  const own = new Set<unknown>(
    tools
      .flatMap((tool) => [tool, ...Object.values(tool)])
      .filter((one) => typeof one === "function" || tools.includes(one as Tool)),
  );
  return reachable(start).flatMap(({ path, value }) => {
    const isMember = typeof value === "function" && /\.(?:execute|effects|check|locks|unwrap)$/.test(path);
    return own.has(value) || isMember ? [path] : [];
  });
}

test("nothing that a tool, a hook or a listener is handed can run a tool: a call through the gate alone does", async () => {
  const handed: Record<string, unknown> = {};
  const looker = defineTool({
    name: "looker",
    description: "Look at what it is handed.",
    parameters: { type: "object" },
    effects: (_params, context) => {
      handed["context of effects"] = context;
      return [];
    },
    execute: (_params, context) => {
      handed["context"] = context;
      handed["toolset"] = [context.toolset.of("danger"), context.toolset.shown(), context.toolset.usable()];
      handed["interaction"] = [
        context.interaction,
        context.interaction?.toolset.of("danger"),
        context.interaction?.shown,
      ];
      return "looked";
    },
  });
  const hook: Hook = {
    name: "looks",
    appliesTo: (tool) => {
      handed["tool of appliesTo"] = tool;
      return true;
    },
    before: (call) => {
      handed["call of before"] = call;
    },
    after: (call, outcome) => {
      handed["call of after"] = [call, outcome];
    },
  };
  const tools = [danger, looker];
  const { executor, registry } = createTestExecutor(tools, {
    rules: [
      { decision: "deny", tool: "danger" },
      { decision: "allow", tool: "looker" },
    ],
    hooks: [hook],
  });
  const events: unknown[] = [];
  executor.events.on((event) => events.push(event));
  const interaction = new ToolInteraction({ toolset: () => executor.toolset(), core: ["*"] });
  const result = await executor.run("looker", {}, { interaction });
  expect(result).toMatchObject({ success: true });
  handed["events"] = events;
  handed["executor.toolset"] = executor.toolset();
  handed["foreseen"] = await executor.foresee("looker", {});
  const search = new ToolSearch({ registry, packs: new PackCatalogue(registry) });
  handed["found"] = await search.search("do what must not be done");
  await search.close();
  expect(events.length).toBeGreaterThan(1);
  for (const [what, value] of Object.entries(handed))
    expect({ what, ways: waysToRun(value, tools) }).toEqual({ what, ways: [] });
  expect(await executor.run("danger", {})).toMatchObject({ success: false, code: "TOOL_PERMISSION" });
});

test("the walk of this test does find a tool that can be reached", () => {
  expect(waysToRun({ deep: [new Map([["one", { tool: danger }]])] }, [danger])).not.toEqual([]);
});

test("what can be known of a tool is frozen, the same for the same tool, and has its versions' leading one", () => {
  const info = toToolInfo(danger);
  expect(Object.isFrozen(info)).toBe(true);
  expect(toToolInfo(danger)).toBe(info);
  expect(toToolInfo(info)).toBe(info);
  expect(info).toEqual({
    name: "danger",
    description: "Do what must not be done.",
    category: "custom",
    parameters: { type: "object" },
    annotations: {},
    version: "1",
  });
  const both = withVersions([danger, { ...danger, version: "2", description: "Newer." }]);
  expect(toToolInfo(both)).toMatchObject({ version: "2", description: "Newer." });
  expect(toToolInfo(both)).not.toHaveProperty("versions");
});
