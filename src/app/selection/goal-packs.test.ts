import { describe, expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";
import { toTargetTool } from "../../formats/index.ts";
import { defineTool, ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import { PackCatalogue, ToolSearch } from "../../search/index.ts";
import { packsForGoal } from "./goal-packs.ts";

/** Two axes of meaning: mail and weather. */
const meanings: readonly (readonly [RegExp, number])[] = [
  [/mail|letter|inbox/i, 0],
  [/weather|rain|umbrella/i, 1],
];

function embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
  return Promise.resolve(
    texts.map((text) => {
      const vector = Float32Array.of(0.1, 0.1, 0.1);
      for (const [words, axis] of meanings) if (words.test(text)) vector[axis] = 1;
      return vector;
    }),
  );
}

function setUp(embedder: boolean) {
  const registry = new ToolRegistry({ format: toTargetTool });
  for (const [name, pack, description] of [
    ["send_letter", "mail", "Send a letter."],
    ["read_inbox", "mail", "Read the inbox."],
    ["forecast", "weather", "Say whether it rains."],
    ["add_numbers", "sums", "Add numbers."],
  ] as const) {
    const parameters = { type: "object" } as const;
    registry.register({ ...defineTool({ name, description, parameters, execute: () => name }), pack });
  }
  const packs = new PackCatalogue(registry);
  const model = embedder ? { id: "m", embed } : undefined;
  const search = new ToolSearch({ registry, packs, embedder: () => Promise.resolve(model) });
  const toolset = new ToolExecutor(registry).toolset();
  return (goal: string, budget?: number) =>
    packsForGoal(goal, {
      registry,
      search,
      toolset,
      budget: budget === undefined ? undefined : { "*": budget },
    });
}

describe("packsForGoal()", () => {
  test("selects the packs that mean what the goal means, though no word is the same", async () => {
    const select = setUp(true);
    expect(await select("do I need an umbrella")).toEqual({ packs: ["weather"], by: "likeness", leftOut: 0 });
    expect(await select("an answer to my mail")).toEqual({ packs: ["mail"], by: "likeness", leftOut: 0 });
  });

  test("selects without a model all that fit the budget, those with words of the goal first", async () => {
    const select = setUp(false);
    expect(await select("whether it rains")).toEqual({
      packs: ["weather", "mail", "sums"],
      by: "budget",
      leftOut: 0,
    });
    const one = await select("whether it rains", 40);
    expect(one.packs[0]).toBe("weather");
    expect(one.packs.length).toBeLessThan(3);
    expect(one.leftOut).toBe(3 - one.packs.length);
    expect((await select("whether it rains", 0)).packs).toEqual([]);
  });
});

const offline = "tools: { search: { embedder: none }, budget: 2500 }";

async function open(config: string) {
  const { app } = await new Installation().open(config);
  const shown = async (goal?: string, name?: string) => {
    const view = await app.viewForGoal(goal, { name });
    const { shown } = view.open({ toolset: () => app.executor.toolset(view.bounds) });
    return shown.map((tool) => tool.name);
  };
  return { app, shown };
}

test("App.viewForGoal() lists the packs for a goal beside the core, and no goal changes nothing", async () => {
  const { app, shown } = await open(offline);
  const goal = "Parse JSON and decode base64";
  expect(await shown()).not.toContain("json_parse");
  expect(await shown(goal)).toEqual(expect.arrayContaining(["read", "search_tools", "json_parse"]));
  const { packs, by } = await app.packsFor(goal);
  expect([packs[0], by]).toEqual(["data", "budget"]);
});

test("App.viewForGoal() takes the goal of the client from the configuration, and never shortens a list that is `all`", async () => {
  const { shown } = await open(`${offline}
serve:
  goal: Parse JSON and decode base64
  clients: { keys: { goal: Store secrets such as API keys }, whole: { expose: all } }`);
  expect(await shown()).toContain("json_parse");
  expect(await shown(undefined, "keys")).toContain("secret_store");
  expect(await shown(undefined, "whole")).toEqual(
    expect.arrayContaining(["secret_store", "json_parse", "http_post"]),
  );
});
