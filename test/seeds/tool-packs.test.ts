import { expect, test } from "vitest";
import { defineTool } from "../../src/kernel/index.ts";
import { initPackEmbeddings, type Pack, selectAndCreateTools, selectPacks } from "../../src/search/index.ts";
import { ExtensionBench } from "../support/extensions.ts";
import { agreeing, Installation } from "../support/installation.ts";

// The form of a system whose tools are factories with TypeBox schemas, called with the id of the call first.
const lookUp = `
import { Type } from "@sinclair/typebox";

const Params = Type.Object({
  city: Type.String({ description: "Whose weather" }),
  days: Type.Optional(Type.Number({ description: "How many days ahead" })),
});

export default (ctx) => ({
  name: "weather_look_up",
  description: "Look up the weather of a city.",
  parameters: Params,
  execute: async (toolCallId, args) => {
    if (args.city === "Ys") return { success: false, error: "no such city" };
    return { output: args.city + " in " + (args.days ?? 1) + " for " + typeof toolCallId, details: { city: args.city } };
  },
});
`;

test.for([
  [
    "a marker of its module",
    { "tools/weather.ts": `${lookUp}\nexport const meta = { signature: "toolCallId, args" };\n` },
  ],
  [
    "its pack.md",
    {
      "tools/weather/pack.md": "---\nsignature: toolCallId, args\n---\n# Weather\n\nForecasts.\n",
      "tools/weather/look-up.ts": lookUp,
    },
  ],
] as const)("a tool of the form execute(toolCallId, args) runs by %s", async ([, files]) => {
  await using bench = await ExtensionBench.open({ files });
  expect(bench.source.problems()).toEqual([]);
  expect(await bench.call("weather_look_up", { city: "Oslo", days: 2 })).toMatchObject({
    success: true,
    result: { city: "Oslo" },
    text: "Oslo in 2 for string",
  });
  expect(await bench.call("weather_look_up", { city: "Ys" })).toMatchObject({
    success: false,
    error: "no such city",
  });
  expect(await bench.call("weather_look_up", { days: 2 })).toMatchObject({ code: "TOOL_VALIDATION" });
});

test("a signature that haft does not know is said, with those that there are", async () => {
  const files = { "tools/weather.ts": `${lookUp}\nexport const meta = { signature: "args, id" };\n` };
  await using bench = await ExtensionBench.open({ files });
  expect(bench.source.problems()).toMatchObject([
    { message: expect.stringContaining('write "toolCallId, args"') },
  ]);
});

test("a factory that returns null leaves its tool out, and an extension may be one of several modules", async () => {
  const files = {
    "tools/home/pack.md": "---\nsignature: toolCallId, args\n---\nWhat the house does.\n",
    "tools/home/lamp.ts": `
import { Type } from "typebox";
export const meta = { requires: { secrets: ["LAMP_KEY"] } };
export default ({ secret }) => ({
  name: "switch_lamp",
  description: "Switch a lamp on or off.",
  parameters: Type.Object({ on: Type.Boolean() }),
  execute: async (_id, { on }) => ({ output: (on ? "on" : "off") + ", with a key: " + ((await secret("LAMP_KEY")) !== undefined) }),
});`,
    "tools/home/never.ts": "export default () => null;\n",
  };
  await using bench = await ExtensionBench.open({ files, secrets: { LAMP_KEY: "k-123456789" } });
  const names = bench.registry.list().map(({ name }) => name);
  expect(names.toSorted()).toEqual(["extension_reload", "switch_lamp"]);
  expect(await bench.call("switch_lamp", { on: true })).toMatchObject({ text: "on, with a key: true" });
  await using locked = await ExtensionBench.open({ files });
  expect(locked.registry.has("switch_lamp")).toBe(false);
});

interface Services {
  readonly timezone: string;
  readonly searchKey?: string;
}

const named = (name: string) =>
  defineTool({ name, description: `Does ${name}.`, parameters: { type: "object" }, execute: () => name });

const packs: readonly Pack<Services>[] = [
  {
    name: "core",
    description: "Remembering and reminding",
    alwaysLoad: true,
    factories: [() => named("memory_keep")],
  },
  {
    name: "web",
    description: "Reading pages",
    alwaysLoad: false,
    factories: [
      () => named("web_page"),
      ({ searchKey }) => (searchKey === undefined ? null : named("web_find")),
    ],
  },
  { name: "self", description: "Deploying", alwaysLoad: false, factories: [() => named("self_ship")] },
];

test("packs with factories are selected by the nearness of a message, at 0.3, and made of what there is", async () => {
  const embed = async (texts: readonly string[]) =>
    texts.map((text) =>
      text.includes("web") ? Float32Array.of(1, 0) : Float32Array.of(0.29, Math.sqrt(1 - 0.29 ** 2)),
    );
  const embeddings = await initPackEmbeddings(packs, { id: "a model", embed });
  const [embedding] = await embed(["what does this web page say"]);
  const message = { text: "what does this page say", embedding };
  expect(selectPacks(packs, message, embeddings).map(({ name }) => name)).toEqual(["core", "web"]);
  const made = (services: Services) =>
    selectAndCreateTools(packs, message, embeddings, services).map(({ name }) => name);
  expect(made({ timezone: "UTC" })).toEqual(["memory_keep", "web_page"]);
  expect(made({ timezone: "UTC", searchKey: "k" })).toEqual(["memory_keep", "web_page", "web_find"]);
});

test("the tools of its core pack take its calls: memories, their graph, secrets", async () => {
  const { call } = await openCore();
  await call("memory_store", { content: "Mia's rabbit is called Turnip", category: "fact", tags: ["pets"] });
  expect(await call("memory_recall", { query: "the rabbit", category: "fact", limit: 3 })).toMatchObject({
    memories: [{ content: "Mia's rabbit is called Turnip", match: "full-text" }],
  });
  const { candidates } = (await call("memory_forget", { query: "rabbit" })) as {
    candidates: { id: string }[];
  };
  expect(candidates).toHaveLength(1);
  expect(await call("memory_forget", { id: candidates[0]?.id })).toMatchObject({ forgotten: true });
  expect(await call("memory_recall", { query: "the rabbit" })).toMatchObject({ memories: [] });
  for (const params of [
    { action: "search", query: "Mia" },
    { action: "explore", query: "Mia", depth: 2 },
    { action: "connect", query: "Mia", target: "Turnip" },
  ])
    await call("memory_graph", params);
  await call("secret_store", { key: "LAMP_KEY", value: "k-123456789" });
  const listed = await call("secret_list", {});
  expect(listed).toMatchObject({ secrets: [{ key: "LAMP_KEY" }] });
  expect(JSON.stringify(listed)).not.toContain("k-123456789");
  expect(await call("secret_delete", { key: "LAMP_KEY" })).toEqual({ deleted: true });
});

async function openCore() {
  const installation = new Installation();
  const place = await installation.open("tools: { search: { embedder: none } }", { approver: agreeing() });
  const call = async (tool: string, params: object) => {
    const result = await place.call(tool, params);
    expect(result).toMatchObject({ success: true });
    return result.success && result.result;
  };
  return { call };
}
