import { expect, test } from "vitest";
import { makeTool } from "../../../../test/support/selection-world.ts";
import { createTestExecutor } from "../../../../test/support/test-executor.ts";
import { type CallContext, Goals, ToolInteraction } from "../../../kernel/index.ts";
import { PackCatalogue, type ToolUse } from "../../../search/index.ts";
import { ToolSearch } from "../../../search/tools/tool-search.ts";
import { selectionTools } from "./selection-tools.ts";

/** Two tools that the words of a goal don't tell apart; only what was done with them can. */
async function openWorld() {
  const uses: ToolUse[] = [];
  const goals = new Goals({ learn: (lesson) => search.learn(lesson) });
  const { executor, registry, errors } = createTestExecutor(
    ["a", "b", "c", "d"].map((end) =>
      makeTool("reports", `report_${end}`, { description: "File a report." }),
    ),
    { onSuccess: goals.onSuccess },
  );
  const packs = new PackCatalogue(registry);
  const search: ToolSearch = new ToolSearch({
    registry,
    packs,
    usage: {
      list: async () => uses,
      learn: async (_scope, use) => void uses.unshift(use),
      forget: async () => 0,
    },
    onError: (error) => errors.push(error),
  });
  registry.registerMany(selectionTools({ registry, packs, goals, search }));
  const interaction = new ToolInteraction({ toolset: () => executor.toolset() });
  const call = async (name: string, params: unknown, context: CallContext = {}) => {
    const result = await executor.execute(name, params, { interaction, ...context });
    return result.success ? result.result : result;
  };
  const find = async (goal: string, context?: CallContext) => {
    const found = (await call("search_tools", { goal }, context)) as { tools: { name: string }[] };
    return found.tools.map(({ name }) => name);
  };
  return { call, find, errors, uses, search };
}

test("the call that a search led to is learnt, and found first for the like from then on", async () => {
  const { call, find, errors, uses, search } = await openWorld();
  const goal = "file a report on the outage of the printer";
  const found = await find(goal);
  expect(found).toHaveLength(4);
  const last = found[3] as string;
  expect(await call("call_tool", { name: last, arguments: { path: "." } })).toBe(`${last} done`);
  expect(uses).toMatchObject([{ toolName: last, goal }]);
  expect((await find("a report: the printer has an outage"))[0]).toBe(last);
  await search.close();
  expect(errors).toEqual([]);
});

test("neither a call that fails nor that of a stranger is learnt", async () => {
  const { call, find, uses, search } = await openWorld();
  await find("file a report");
  expect(await call("report_c", { path: 7 })).toMatchObject({ code: "TOOL_VALIDATION" });
  await call("report_c", { path: "." }, { trust: "untrusted" });
  expect(uses).toEqual([]);
  await search.close();
});
