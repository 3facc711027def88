import { expect, test } from "vitest";
import { toTargetTool } from "../../formats/index.ts";
import { defineTool, selectionToolNames, type Tool, ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import { ClientExposure, type ClientExposureOptions } from "./client-exposure.ts";

function tool(name: string, description = `Do ${name}.`): Tool {
  return defineTool({ name, description, parameters: { type: "object" }, execute: () => name });
}

const tools = ["read", "git_log", "git_push"].map((name) => ({ ...tool(name), pack: "git" }));

function setUp(options: Partial<ClientExposureOptions> = {}, blockedTools: readonly string[] = []) {
  const registry = new ToolRegistry({ format: toTargetTool });
  registry.registerMany([...tools, ...selectionToolNames.map((name) => tool(name))]);
  const executor = new ToolExecutor(registry);
  const exposure = new ClientExposure({
    registry,
    expose: "auto",
    budget: undefined,
    core: ["read", ...selectionToolNames],
    corePacks: [],
    ...options,
  });
  const toolset = () => executor.toolset({ blockedTools });
  const open = () => exposure.open({ toolset });
  const names = () => open().shown.map(({ name }) => name);
  return { registry, executor, exposure, toolset, open, names };
}

const all = tools.map(({ name }) => name);
const lean = ["read", ...selectionToolNames];

test("ClientExposure shows all that fits the budget, without the tools that only lead to others", () => {
  const { names, exposure, open } = setUp();
  expect(names()).toEqual(all);
  expect(open().limits).toEqual([]);
  expect(exposure.describe(open())).toEqual({ lean: false, listed: 3, tools: 3 });
});

test("ClientExposure shows the core once the definitions pass the budget, and from then on", () => {
  const { names, registry, exposure, open } = setUp({ budget: { mcp: 100 } });
  expect(names()).toEqual(all);
  registry.register(tool("long", "word ".repeat(200)));
  expect(names()).toEqual(lean);
  expect(exposure.describe(open())).toEqual({ lean: true, listed: 6, tools: 4 });
  registry.unregister("long");
  expect(names()).toEqual(lean);
});

test("ClientExposure counts neither what is not shown anyway nor what leads to others", () => {
  const { registry, names } = setUp({ budget: 100 }, ["long"]);
  registry.register(tool("long", "word ".repeat(200)));
  expect(names()).toEqual(all);
});

test("ClientExposure does as it is told, whatever the budget", () => {
  expect(setUp({ expose: "lean" }).names()).toEqual(lean);
  expect(setUp({ expose: "all", budget: 0 }).names()).toEqual(all);
  expect(setUp({ expose: "lean", core: ["git_*", ...selectionToolNames] }).names()).toEqual([
    "git_log",
    "git_push",
    ...selectionToolNames,
  ]);
  expect(setUp({ expose: "lean", corePacks: ["git"] }).names()).toEqual([...all, ...selectionToolNames]);
});

test.each(["search_tools", "call_tool"])(
  "ClientExposure is never lean for whoever may not use %s",
  (name) => {
    expect(setUp({ expose: "lean" }, [name]).names()).toEqual(all);
  },
);

test("ClientExposure.open() begins anew each time, and interactions that show the same share their limits", () => {
  const { open } = setUp({ expose: "lean" });
  const [one, other] = [open(), open()];
  expect(one.limits).toBe(other.limits);
  expect(one.load(["git_log"])).toEqual(["git_log"]);
  expect(one.shown.map(({ name }) => name)).toEqual([...lean, "git_log"]);
  expect(other.shown.map(({ name }) => name)).toEqual(lean);
  expect(one.limits).not.toBe(other.limits);
  other.loadPack("git");
  expect(other.handle).toBe("git/*");
  expect(open().resume(one.handle)).toEqual(["git_log"]);
});
