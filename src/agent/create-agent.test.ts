import { expect, test } from "vitest";
import { z } from "zod";
import { toTargetTool } from "../formats/index.ts";
import { defineTool, type PlainTool, ToolExecutor, ToolRegistry } from "../kernel/index.ts";
import { createScriptedChat, type ScriptedTurn } from "../testing/index.ts";
import { createAgent } from "./create-agent.ts";

function makeTools(over: Partial<PlainTool>): ToolRegistry {
  const registry = new ToolRegistry({ format: toTargetTool });
  const tool = defineTool({
    name: "look",
    aliases: ["peek"],
    description: "Look whether it is done.",
    parameters: z.strictObject({}),
    annotations: { readOnly: true, openWorld: false },
    execute: () => "not yet",
  });
  registry.register({ ...tool, ...over });
  return registry;
}

test.for(["look", "peek"])(
  "an agent may call a tool again and again that says it waits or looks, by any of its names: %s",
  async (name) => {
    const script: readonly ScriptedTurn[] = [
      ...Array.from({ length: 7 }, () => ({ calls: [{ name }] })),
      "Done.",
    ];
    const drive = (over: Partial<PlainTool>) => {
      const tools = makeTools(over);
      return createAgent({
        model: createScriptedChat(script),
        tools,
        executor: new ToolExecutor(tools),
      }).send("Wait for it.");
    };
    expect(await drive({})).toMatchObject({ state: "paused", why: "repetition" });
    expect(await drive({ mayRepeat: true })).toMatchObject({ state: "completed", text: "Done." });
  },
);

test("agents share one class, so that none of them is kept by a class of its own", () => {
  const registry = makeTools({});
  const agent = createAgent({
    model: createScriptedChat([]),
    tools: registry,
    executor: new ToolExecutor(registry),
  });
  expect(Object.getOwnPropertyNames(agent)).toEqual([]);
  expect(agent.entries).toEqual([]);
});
