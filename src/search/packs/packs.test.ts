import { expect, test } from "vitest";
import { knownPacks } from "../../kernel/registry/known-packs.ts";
import { getPackName } from "../../kernel/registry/pack-of.ts";
import { ToolRegistry } from "../../kernel/registry/registry.ts";
import { defineTool, type Tool } from "../../kernel/tool/tool.ts";
import { findDependencies } from "../tools/dependencies.ts";
import { PackCatalogue } from "./pack-catalogue.ts";
import { centrePacks, initPackEmbeddings, type Pack, selectAndCreateTools, selectPacks } from "./packs.ts";

function tool(name: string, more: Partial<Tool> = {}): Tool {
  const base = defineTool({
    name,
    description: `Does ${name}.`,
    parameters: { type: "object" },
    execute: () => "",
  });
  return { ...base, ...more };
}

interface Services {
  readonly key?: string;
}

const core: Pack<Services> = {
  name: "core",
  description: "Memory and schedules",
  alwaysLoad: true,
  factories: [() => tool("memory_store")],
};
const web: Pack<Services> = {
  name: "web",
  description: "Read web pages, search the web",
  alwaysLoad: false,
  factories: [() => tool("web_read"), ({ key }) => (key === undefined ? null : tool("web_search"))],
};
const self: Pack<Services> = {
  name: "self",
  description: "Deploy, tests, logs of the own source",
  alwaysLoad: false,
  factories: [() => tool("self_deploy")],
};
const packs = [core, web, self];
const embeddings = new Map([
  ["web", Float32Array.of(1, 0)],
  ["self", Float32Array.of(0, 1)],
]);
const names = (selected: readonly { readonly name: string }[]) => selected.map(({ name }) => name);
const near = (cosine: number) => Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2));

test("selectPacks() takes packs at least as near as 0.3, and those always loaded", () => {
  const select = (cosine: number) =>
    names(selectPacks(packs, { text: "", embedding: near(cosine) }, embeddings));
  expect(select(0.3001)).toEqual(["core", "web", "self"]);
  expect(select(0.2999)).toEqual(["core", "self"]);
  expect(select(0.99)).toEqual(["core", "web"]);
});

test("selectPacks() takes another threshold, and changes nothing it is given", () => {
  const message = Object.freeze({ text: "", embedding: near(0.8) });
  expect(names(selectPacks(Object.freeze([...packs]), message, embeddings, 0.7))).toEqual(["core", "web"]);
});

test("selectPacks() takes a pack without an embedding, as nothing speaks against it, but not all of them", () => {
  const message = { text: "search the web", embedding: near(0.1) };
  const select = (known: typeof embeddings) => names(selectPacks(packs, message, known));
  expect(select(embeddings)).toEqual(["core", "self"]);
  expect(select(new Map([...embeddings].slice(1)))).toEqual(["core", "web", "self"]);
  expect(select(new Map())).toEqual(["core", "web"]);
});

test("selectPacks() goes by the words where the message has no embedding, and never takes all for it", () => {
  expect(names(selectPacks(packs, { text: "what do the logs say" }, embeddings))).toEqual(["core", "self"]);
  expect(names(selectPacks(packs, { text: "tell me a joke" }, embeddings))).toEqual(["core"]);
});

test("selectAndCreateTools() leaves out the tools that a factory has not enough for", () => {
  const message = { text: "search the web" };
  expect(names(selectAndCreateTools(packs, message, embeddings, {}))).toEqual(["memory_store", "web_read"]);
  expect(names(selectAndCreateTools(packs, message, embeddings, { key: "k" }))).toEqual([
    "memory_store",
    "web_read",
    "web_search",
  ]);
});

test("initPackEmbeddings() embeds what is not always loaded, and gives none when the model fails", async () => {
  const asked: string[] = [];
  const embed = async (texts: readonly string[]) => {
    asked.push(...texts);
    return texts.map(() => Float32Array.of(1));
  };
  expect([...(await initPackEmbeddings(packs, { id: "m", embed })).keys()]).toEqual(["web", "self"]);
  expect(asked[0]).toBe("web: Read web pages, search the web");
  const errors: unknown[] = [];
  const failing = { id: "m", embed: () => Promise.reject(new Error("no luck")) };
  const none = await initPackEmbeddings(packs, failing, { onError: (error) => errors.push(error) });
  expect([none.size, errors.length]).toEqual([0, 1]);
});

test("initPackEmbeddings() is work that is waited for, not work of the background", async () => {
  const embed = async (texts: readonly string[]) => texts.map(() => Float32Array.of(1, 0));
  const background = { id: "m", embed: () => new Promise<never>(() => {}) };
  expect((await initPackEmbeddings([web], { id: "m", embed, background })).has("web")).toBe(true);
});

test("initPackEmbeddings() embeds the texts of a pack's tools with it, where it is told them", async () => {
  const asked: string[] = [];
  const embed = async (texts: readonly string[]) => {
    asked.push(...texts);
    return texts.map(() => Float32Array.of(1));
  };
  const makeTools = () => [tool("self_deploy", { description: "x".repeat(600) })];
  await initPackEmbeddings([self], { id: "m", embed }, { listTools: makeTools });
  expect(asked[0]).toMatch(/^self: Deploy, tests, logs of the own source self_deploy: xxx/);
  expect(asked[0]).toHaveLength(500);
});

test("centrePacks() takes off what all have in common, and 0.3 tells packs apart that were all near", () => {
  const common = 3;
  const alike = new Map([
    ["core", Float32Array.of(common, 0, 0, 1)],
    ["web", Float32Array.of(common, 1, 0, 0)],
    ["self", Float32Array.of(common, 0, 1, 0)],
  ]);
  const message = Float32Array.of(common, 0.9, 0, 0);
  expect(names(selectPacks(packs, { text: "", embedding: message }, alike))).toEqual(["core", "web", "self"]);
  const { embeddings: apart, centre } = centrePacks(alike);
  const embedding = centre(message);
  expect(names(selectPacks(packs, { text: "", embedding }, apart))).toEqual(["core", "web"]);
  expect(centrePacks(new Map()).embeddings.size).toBe(0);
});

test("PackCatalogue.list() gives the packs that have tools, each with its description", () => {
  const registry = new ToolRegistry();
  registry.registerMany([
    tool("git_push", { pack: "git" }),
    tool("gh__a", { pack: "gh" }),
    ...["b", "c", "d", "e"].map((name) => tool(`gh__${name}`, { pack: "gh" })),
    tool("alone", { category: "data" }),
    tool("odd", { pack: "server" }),
  ]);
  const catalogue = new PackCatalogue(registry, () => [{ name: "server", description: "A server" }]);
  expect(catalogue.list()).toEqual([
    {
      name: "git",
      description: "Branch, commit, push, PR, and merge operations",
      toolCount: 1,
      tools: ["git_push"],
    },
    {
      name: "gh",
      description: "a, b, c, d and 1 more",
      toolCount: 5,
      tools: ["gh__a", "gh__b", "gh__c", "gh__d", "gh__e"],
    },
    { name: "data", description: catalogue.get("data")?.description, toolCount: 1, tools: ["alone"] },
    { name: "server", description: "A server", toolCount: 1, tools: ["odd"] },
  ]);
  expect(names(catalogue.list({ usable: () => registry.list().slice(-1) }))).toEqual(["server"]);
});

test("PackCatalogue keeps what is said of our own packs, whatever else goes by their names", () => {
  const registry = new ToolRegistry();
  registry.registerMany([tool("read", { pack: "files" }), tool("files__wipe", { origin: "mcp:files" })]);
  const catalogue = new PackCatalogue(registry, () => [
    { name: "files", description: "Mine now" },
    { name: "mcp:files", description: "A server" },
  ]);
  expect(catalogue.list().map(({ name, description }) => [name, description])).toEqual([
    ["files", knownPacks.find(({ name }) => name === "files")?.description],
    ["mcp:files", "A server"],
  ]);
  expect(catalogue.get("files")?.description).toBe(catalogue.list()[0]?.description);
});

test("getPackName() is the pack, the server or the category; a server named like one of our packs is apart", () => {
  expect(getPackName(tool("a", { pack: "p", category: "c" }))).toBe("p");
  expect(getPackName(tool("a", { category: "c" }))).toBe("c");
  expect(getPackName(tool("a", { origin: "haft", category: "c" }))).toBe("c");
  expect(getPackName(tool("gh__a", { origin: "mcp:gh", category: "c" }))).toBe("gh");
  for (const { name } of knownPacks) {
    expect(getPackName(tool("a", { origin: `mcp:${name}` }))).toBe(`mcp:${name}`);
    expect(getPackName(tool("a", { origin: "haft", pack: name }))).toBe(name);
  }
});

test("the seven usual categories are known, in their own words", () => {
  const seven = ["git", "project", "agent", "hooks", "memory", "files", "system"];
  expect(names(knownPacks).slice(0, 7)).toEqual(seven);
});

test("findDependencies() follows chains and rings, each tool once, and stops at its limit", () => {
  const a = tool("a", { dependsOn: ["b", "gone"] });
  const b = tool("b", { dependsOn: ["c", "a"] });
  const c = tool("c", { dependsOn: ["b"] });
  const find = (name: string) => [a, b, c].find((one) => one.name === name);
  expect(findDependencies([a], find, 9)).toEqual([
    { tool: b, neededBy: "a" },
    { tool: c, neededBy: "b" },
  ]);
  expect(findDependencies([a], find, 1)).toHaveLength(1);
});
