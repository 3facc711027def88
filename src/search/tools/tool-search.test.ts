import fc from "fast-check";
import { expect, test } from "vitest";
import { ToolRegistry } from "../../kernel/registry/registry.ts";
import { defineTool, type Tool } from "../../kernel/tool/tool.ts";
import { PackCatalogue } from "../packs/pack-catalogue.ts";
import type { Embedder, VectorCache } from "./embedder.ts";
import type { IndexStore } from "./index-store.ts";
import { ToolSearch, type ToolSearchOptions } from "./tool-search.ts";
import type { ToolUse, UsageMemory } from "./usage.ts";

function tool(name: string, description: string, more: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({ name, description, parameters: { type: "object" }, execute: () => "" }),
    ...more,
  };
}

const weather = tool("get_weather", "The weather of a place now", { pack: "weather" });
const forecast = tool("get_forecast", "The weather of a place in the next days", { pack: "weather" });
const sendMail = tool("send_mail", "Send an e-mail to somebody", { pack: "mail" });
const searchMail = tool("search_mail", "Find e-mails by their words", { pack: "mail" });
const all = [weather, forecast, sendMail, searchMail];

function open(tools: readonly Tool[], options: Partial<ToolSearchOptions> = {}) {
  const registry = new ToolRegistry({ compile: () => () => ({ valid: true, value: {} }) });
  registry.registerMany(tools);
  const errors: unknown[] = [];
  const search = new ToolSearch({
    registry,
    packs: new PackCatalogue(registry),
    onError: (error) => errors.push(error),
    ...options,
  });
  const names = async (...args: Parameters<ToolSearch["search"]>) =>
    (await search.search(...args)).found.map((found) => found.tool.name);
  return { registry, search, errors, names };
}

/** Texts that share a meaning of the list are near each other. */
function makeEmbedder(...meanings: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const embedder: Embedder = {
    id: "meanings",
    embed: async (texts) => {
      asked.push(...texts);
      return texts.map((text) =>
        Float32Array.from([
          0.1,
          ...meanings.map((words) => words.filter((word) => text.toLowerCase().includes(word)).length),
        ]),
      );
    },
  };
  return { embedder, asked };
}

const rain = ["weather", "umbrella"];
const post = ["mail", "letter"];

function makeMemory(uses: readonly ToolUse[] = []) {
  const kept = [...uses];
  const memory: UsageMemory = {
    list: async (scope) => (scope === "local" ? kept : []),
    learn: async (_scope, use) => void kept.unshift(use),
    forget: async () => 0,
  };
  return { memory, kept };
}

test("ToolSearch.search() finds by name, description, pack and parameters", async () => {
  const { names } = open([
    ...all,
    tool("act", "Do it", {
      parameters: {
        type: "object",
        properties: { to: { properties: { postcode: { description: "Of the town" } } } },
      },
    }),
  ]);
  expect((await names("send a mail"))[0]).toBe("send_mail");
  expect((await names("next days"))[0]).toBe("get_forecast");
  expect(await names("town")).toEqual(["act"]);
  expect(await names("postcodes")).toEqual(["act"]);
});

test("ToolSearch.search() answers each part of a message before more of the same", async () => {
  const { names } = open(all);
  const found = await names("weather of the place, and send a mail", { limit: 2 });
  expect(found.toSorted()).toEqual([expect.stringContaining("get_"), "send_mail"]);
});

test("ToolSearch.search() knows the verb that a goal begins with by another name", async () => {
  const issue = (verb: string) => tool(`${verb}_issue`, "One issue of a repository", { pack: "hub" });
  const { names } = open([issue("assign"), issue("create"), issue("delete"), issue("get"), ...all]);
  expect((await names("open an issue"))[0]).toBe("create_issue");
  expect((await names("remove an issue"))[0]).toBe("delete_issue");
  expect((await names("change an issue"))[0]).toBe("assign_issue");
  expect(await names("open")).toEqual([]);
});

test("ToolSearch.search() finds Chinese tools by Chinese words", async () => {
  const { names } = open([...all, tool("tianqi", "查询城市的天气预报"), tool("youjian", "发送电子邮件")]);
  expect((await names("明天天气怎么样"))[0]).toBe("tianqi");
  expect((await names("给他发邮件"))[0]).toBe("youjian");
});

test("ToolSearch.search() says why words alone decided, and that nothing was found", async () => {
  const { search } = open(all);
  expect(await search.search("zebra")).toEqual({
    found: [],
    by: "words",
    note: "No tool has a word of this goal. Ranked by words alone: no sentence model is set up.",
  });
});

test("ToolSearch.search() adds vectors once they are there, and finds what shares no word", async () => {
  const { embedder } = makeEmbedder(rain, post);
  const progress: number[] = [];
  const { search, names } = open(all, { embedder, onProgress: (made) => progress.push(made) });
  expect((await search.search("umbrella")).by).toBe("words");
  await search.ready();
  expect(progress.at(-1)).toBe(4);
  expect(search.progress()).toEqual({ made: 4, of: 4 });
  const { by, note, found } = await search.search("umbrella");
  expect({ by, note }).toEqual({
    by: "words and vectors",
    note: "No tool has a word of this goal: these are the nearest in meaning, and perhaps none fits.",
  });
  expect((await search.search("umbrella for a mail")).note).toBeUndefined();
  expect(found.map((one) => one.tool.pack)).toEqual(["weather", "weather", "mail", "mail"]);
  expect((await names("letter"))[0]).toMatch(/mail/);
});

test("ToolSearch loses no tool when vectors take part", async () => {
  const { embedder } = makeEmbedder(rain, post);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.lorem({ maxCount: 3 }), { maxLength: 12 }),
      fc.string(),
      async (texts, goal) => {
        const { search, names, errors } = open(
          texts.map((text, at) => tool(`tool_${at}`, text)),
          { embedder },
        );
        await search.ready();
        expect((await names(goal, { limit: 50 })).toSorted()).toEqual(
          texts.map((_text, at) => `tool_${at}`).toSorted(),
        );
        expect(errors).toEqual([]);
      },
    ),
    { numRuns: 20 },
  );
});

test("ToolSearch after changes of the registry finds as one that begins with the same tools", async () => {
  const { registry, names } = open(all);
  await names("mail");
  registry.unregister("send_mail");
  registry.register(tool("draft_mail", "Write an e-mail, and keep it"));
  registry.unregister("get_weather");
  registry.register(tool("get_weather", "Rain, sun and mail"));
  const anew = open(registry.list());
  for (const goal of ["mail", "send", "weather", "rain", "keep words"]) {
    expect(await names(goal)).toEqual(await anew.names(goal));
  }
});

test("ToolSearch.search() finds only what the caller may call, and only in one pack where it says so", async () => {
  const { names } = open(all);
  expect(await names("mail", { toolset: { usable: () => [weather, searchMail] } })).toEqual(["search_mail"]);
  expect((await names("weather mail", { pack: "mail" })).toSorted()).toEqual(["search_mail", "send_mail"]);
  expect(await names("mail", { limit: 0 })).toEqual([]);
});

test("ToolSearch.search() brings along what a tool depends on, after all that was found", async () => {
  const pay = tool("pay_invoice", "Pay an invoice", { dependsOn: ["find_customer", "gone", "hidden"] });
  const find = tool("find_customer", "Look up who buys", { dependsOn: ["log_in", "pay_invoice"] });
  const tools = [pay, find, tool("log_in", "Open a session"), tool("hidden", "Not yours")];
  const { search } = open(tools);
  const toolset = { usable: () => tools.slice(0, 3) };
  const { found } = await search.search("pay the invoice", { toolset, limit: 5 });
  expect(found.map((one) => [one.tool.name, one.neededBy, one.scores.rank])).toEqual([
    ["pay_invoice", undefined, 1],
    ["find_customer", "pay_invoice", 2],
  ]);
});

test("ToolSearch.learn() makes a tool found by what it served before, in that scope alone", async () => {
  const { memory } = makeMemory();
  const { embedder } = makeEmbedder(rain, post);
  const { search, names } = open(all, { usage: memory, embedder });
  await search.ready();
  await search.learn({ goal: "do I take my umbrella tomorrow", toolName: "get_forecast" });
  await search.learn({ goal: "do I take my umbrella tomorrow", toolName: "get_forecast" });
  await search.ready();
  expect((await names("tomorrow"))[0]).toBe("get_forecast");
  const here = await search.explain("tomorrow", "get_forecast");
  const there = await search.explain("tomorrow", "get_forecast", { scope: "other" });
  expect(here?.rank).toBe(1);
  expect(here?.usage).toBeGreaterThan(0);
  expect(there?.usage).toBeUndefined();
});

test("ToolSearch remembers what was learnt before, and forgets it slowly", async () => {
  const use = (at: number) =>
    makeMemory([{ toolName: "search_mail", goal: "where is the invoice", at }]).memory;
  const day = 86_400_000;
  const clock = { now: () => 1000 * day, after: () => () => {} };
  const fresh = open(all, { usage: use(999 * day), clock });
  const stale = open(all, { usage: use(1 * day), clock });
  expect(await fresh.names("invoice")).toEqual(["search_mail"]);
  expect(await stale.names("invoice")).toEqual([]);
});

test("ToolSearch.explain() gives rank and parts, and nothing of a tool the caller may not call", async () => {
  const { search } = open(all);
  const { found } = await search.search("send mail");
  for (const { tool: one, scores } of found)
    expect(await search.explain("send mail", one.name)).toEqual(scores);
  expect(await search.explain("send mail", "nobody")).toBeUndefined();
  const toolset = { usable: () => [weather] };
  expect(await search.explain("send mail", "send_mail", { toolset })).toBeUndefined();
});

test("ToolSearch.findPacks() gives the nearest packs, by words and by vectors", async () => {
  const { search } = open(all);
  expect((await search.findPacks("send an e-mail")).map(({ name }) => name)).toEqual(["mail"]);
  const hybrid = open(all, { embedder: makeEmbedder(rain, post).embedder });
  await hybrid.search.ready();
  expect((await hybrid.search.findPacks("umbrella")).map(({ name }) => name)).toEqual(["weather"]);
});

test("ToolSearch.findPacks() and search() group the tools of a caller once", async () => {
  const { search } = open(all);
  let reads = 0;
  const usable = new Proxy([...all], {
    get: (target, key, receiver) => {
      reads++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  const toolset = { usable: () => usable };
  await search.findPacks("send an e-mail", { toolset });
  expect(reads).toBeGreaterThan(0);
  reads = 0;
  await search.findPacks("the weather", { toolset });
  await search.search("the weather", { toolset });
  expect(reads).toBe(0);
});

test("ToolSearch finds by meaning what one sentence of a message asks for", async () => {
  const { embedder, asked } = makeEmbedder(["weather", "umbrella"], ["mail", "letter"], ["meeting"]);
  const { search, names } = open(all, { embedder });
  await search.ready();
  const found = await names("The meeting, the meeting, the meeting. Do I take an umbrella?", { limit: 2 });
  expect(found.toSorted()).toEqual(["get_forecast", "get_weather"]);
  expect(asked).toContain("Do I take an umbrella?");
});

test("ToolSearch.findPacks() finds a large pack of many things by one of its tools", async () => {
  const chores = Array.from({ length: 30 }, (_, at) =>
    tool(`chore_${at}`, `Chore number ${at}`, { pack: "chores" }),
  );
  const { search } = open([
    ...chores,
    tool("water_plants", "Water the plants", { pack: "chores" }),
    tool("list_plants", "List rare species, with where each was seen and who keeps its seeds", {
      pack: "garden",
    }),
  ]);
  expect((await search.findPacks("water the plants"))[0]?.name).toBe("chores");
});

test("ToolSearch asks what is known of a pack once, however many tools it has", async () => {
  const { registry } = open(all);
  const packs = new PackCatalogue(registry);
  const asked: string[] = [];
  const counted = Object.assign(Object.create(packs) as PackCatalogue, {
    get: (name: string) => {
      asked.push(name);
      return packs.get(name);
    },
  });
  const search = new ToolSearch({ registry, packs: counted });
  await search.search("mail");
  expect(asked).toEqual(["weather", "mail"]);
});

test("ToolSearch goes on with words when the model fails, tells it once, and tries again", async () => {
  const { embedder } = makeEmbedder(rain, post);
  let works = false;
  const { search, errors } = open(all, {
    embedder: {
      id: "m",
      embed: async (texts) => (works ? embedder.embed(texts) : Promise.reject(new Error("no luck"))),
    },
  });
  await search.ready();
  await search.ready();
  expect(errors).toEqual([new Error("no luck")]);
  expect((await search.search("mail")).note).toBe(
    "Ranked by words alone: the sentence model failed: no luck.",
  );
  works = true;
  await search.ready();
  expect((await search.search("mail")).by).toBe("words and vectors");
});

test("ToolSearch asks for no vector twice: of the cache first, then of the model", async () => {
  const kept = new Map<string, Float32Array>();
  const vectors: VectorCache = {
    get: async (_model, hashes) => new Map([...kept].filter(([hash]) => hashes.includes(hash))),
    put: async (_model, more) => more.forEach((vector, hash) => kept.set(hash, vector)),
  };
  const { embedder, asked } = makeEmbedder(rain, post);
  await open(all, { embedder, vectors }).search.ready();
  expect(asked).toHaveLength(4);
  await open(all, { embedder, vectors }).search.ready();
  expect(asked).toHaveLength(4);
});

test("ToolSearch keeps its index, and takes over only what is still the same", async () => {
  let bytes: Uint8Array | undefined;
  const index: IndexStore = { load: async () => bytes, save: async (_form, kept) => void (bytes = kept) };
  const before = open(all, { index });
  await before.names("mail");
  await before.search.close();
  const changed = [forecast, sendMail, searchMail, tool("get_weather", "Sun"), tool("extra", "Umbrella")];
  const after = open(changed, { index });
  const anew = open(changed);
  for (const goal of ["mail", "weather", "place", "sun", "umbrella"]) {
    expect(await after.names(goal)).toEqual(await anew.names(goal));
  }
  expect(after.errors).toEqual([]);
  bytes = new Uint8Array([1, 2, 3]);
  const broken = open(all, { index });
  expect(await broken.names("mail")).toHaveLength(2);
  expect(broken.errors).toHaveLength(1);
});

test("ToolSearch takes any text of a tool, and any goal", async () => {
  const self: Record<string, unknown> = { type: "object", description: "loop" };
  self["properties"] = {
    constructor: self,
    "\ud800": { description: "\udc00 half" },
    long: { $ref: "#/properties/long" },
  };
  const hostile = [
    tool("constructor", "__proto__ hasOwnProperty"),
    tool("__proto__", "\ud800 lone"),
    tool("huge", "word ".repeat(200_000), { parameters: self }),
  ];
  const { names, errors } = open([...all, ...hostile]);
  expect(await names("constructor")).toEqual(["constructor", "huge"]);
  expect((await names("proto")).toSorted()).toEqual(["__proto__", "constructor"]);
  expect(await names("half \udfff \ud800".repeat(10_000))).toContain("huge");
  expect(errors).toEqual([]);
});

test("ToolSearch.search() rejects with the reason of its signal", async () => {
  const { search } = open(all);
  await expect(search.search("mail", { signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow(
    "stop",
  );
});

test("one tool more among many costs no new text of the others", async () => {
  const many = Array.from({ length: 2000 }, (_, at) => tool(`tool_${at}`, `Do thing ${at}`));
  const { registry, search, names } = open(many);
  await names("thing");
  let read = 0;
  const counted = Object.defineProperty({ ...weather }, "description", {
    get: () => {
      read++;
      return weather.description;
    },
    enumerable: true,
  });
  const getSchema = registry.getSchema.bind(registry);
  let schemas = 0;
  registry.getSchema = (name) => {
    schemas++;
    return getSchema(name);
  };
  registry.register(counted);
  const before = read;
  expect(await names("weather")).toEqual(["get_weather"]);
  expect(schemas).toBe(1);
  expect(read - before).toBeLessThan(4);
  await search.close();
});

test("a description stuffed with every word comes behind the tools that do what is asked", async () => {
  const words = "weather forecast mail letter search find send place days now words somebody rome time";
  const stuffed = tool("best_tool", `${words} `.repeat(80), { pack: "greedy" });
  const echoes = Array.from({ length: 40 }, (_, at) =>
    tool(`greedy_${at}`, words.split(" ")[at % 14] ?? "", { pack: "greedy" }),
  );
  const { names } = open([...all, stuffed, ...echoes]);
  expect((await names("Get the weather of a place now"))[0]).toBe("get_weather");
  expect((await names("Send an e-mail to somebody"))[0]).toBe("send_mail");
});

test("ToolSearch takes any message: nothing, signs, halves of pairs, very many sentences", async () => {
  const { embedder } = makeEmbedder(rain, post);
  const { search, errors } = open(all, { embedder });
  await search.ready();
  const messages = [
    "",
    " \n ",
    "💥",
    "\0",
    "\ud800 \udc00",
    "\u202eliam\u202c",
    "а".repeat(9000),
    "天".repeat(9000),
  ];
  for (const message of [...messages, "mail; ".repeat(4000), "?".repeat(9000)]) {
    const { found } = await search.search(message);
    expect(found.length).toBeLessThanOrEqual(all.length);
    expect(found.every(({ score }) => Number.isFinite(score))).toBe(true);
    expect((await search.findPacks(message)).length).toBeLessThanOrEqual(3);
  }
  expect(errors).toEqual([]);
});

/** Its texts are all alike; of its words those of the list are. */
function makeWordEmbedder(...alike: readonly string[]): Embedder {
  return {
    id: "alike",
    embed: (texts) => Promise.resolve(texts.map(() => Float32Array.of(0, 1))),
    embedWords: (words) =>
      Promise.resolve(words.map((word) => Float32Array.of(alike.includes(word) ? 1 : 0, 0))),
  };
}

test("a tool is found by a word that means the same as one of the goal, and the note says that the word itself is nowhere", async () => {
  const embedder = makeWordEmbedder("meteorology", "weather");
  const outlook = tool("outlook", "The weather of a place");
  const { search, names } = open([searchMail, sendMail, outlook, tool("all_mail", "Every e-mail")], {
    embedder,
  });
  await search.ready();
  expect((await names("meteorology"))[0]).toBe("outlook");
  expect((await search.search("meteorology")).note).toContain("No tool has a word of this goal");
});

test("a word itself counts more than one that means the same", async () => {
  const said = tool("z_said", "What meteorology says of a place");
  const near = tool("a_near", "What weather is in a place");
  const { search, names } = open([near, said], { embedder: makeWordEmbedder("meteorology", "weather") });
  await search.ready();
  expect(await names("meteorology")).toEqual(["z_said", "a_near"]);
});

test("a tool that is added later is found by a word that means the same, too", async () => {
  const { registry, search, names } = open([sendMail, searchMail], {
    embedder: makeWordEmbedder("meteorology", "weather"),
  });
  await search.ready();
  await names("meteorology");
  registry.register(tool("tell", "The weather of a place"));
  await search.ready();
  expect((await names("meteorology"))[0]).toBe("tell");
});
