import { describe, expect, test } from "vitest";
import { ToolRegistry } from "../../index.ts";
import {
  defineTool,
  type JsonSchema,
  type LLMTarget,
  llmTargets,
  selectionToolNames,
} from "../../kernel/index.ts";
import { definitionCounter } from "./definition-counter.ts";
import { geminiTexts } from "./gemini-form.ts";
import { openAIForm } from "./openai-form.ts";
import { costOfTools } from "./tool-costs.ts";

function tool(
  name: string,
  more: { pack?: string; origin?: string; description?: string; properties?: JsonSchema } = {},
) {
  const { properties = { query: { type: "string", description: "What to look for" } }, ...facts } = more;
  return defineTool({
    name,
    description: "Look something up, and return what was found.",
    parameters: { type: "object", properties },
    ...facts,
    execute: () => "",
  });
}

function createRegistry(...tools: ReturnType<typeof tool>[]): ToolRegistry {
  const registry = new ToolRegistry();
  registry.registerMany(tools);
  return registry;
}

const finders = selectionToolNames.map((name) => tool(name, { pack: "selection" }));
const many = Array.from({ length: 100 }, (_, at) =>
  tool(`wiki_${at}`, {
    origin: "mcp:wiki",
    pack: "wiki",
    description: `Look up entry ${at} in the wiki. ${"It has many facts. ".repeat(30)}`,
  }),
);

test("the tokens of a definition, and of what a search finds, are counted once", async () => {
  const reads = { definition: 0, found: 0 };
  const counter = await definitionCounter("anthropic");
  const definition = {
    name: "read",
    get description() {
      reads.definition++;
      return "Read a file.";
    },
  } as unknown as Parameters<typeof counter.of>[0];
  const first = counter.of(definition);
  expect((await definitionCounter("anthropic")).of(definition)).toBe(first);
  expect(reads.definition).toBe(1);
  const registry = createRegistry(...many, ...finders);
  const counted: Parameters<typeof costOfTools>[0] = {
    list: () => registry.list(),
    toLLMTool: (name, target) => registry.toLLMTool(name, target),
    getSchema: (name) => {
      reads.found++;
      return registry.getSchema(name);
    },
  };
  const report = await costOfTools(counted, { target: "mcp", core: [] });
  expect(reads.found).toBe(many.length);
  expect(await costOfTools(counted, { target: "mcp", core: [] })).toEqual(report);
  expect(reads.found).toBe(many.length);
});

describe("openAIForm()", () => {
  test("writes a function as a type: comments, marks of what is optional, unions, lists and defaults", () => {
    const parameters: JsonSchema = {
      type: "object",
      required: ["path"],
      properties: {
        path: { type: "string", description: "The file" },
        mode: { type: "string", enum: ["r", "w"], default: "r" },
        lines: {
          type: "array",
          items: { type: "object", properties: { at: { type: ["integer", "null"] } } },
        },
        any: { anyOf: [{ type: "number" }, { type: "boolean" }] },
      },
    };
    expect(
      openAIForm({
        type: "function",
        function: { name: "open", description: "Open a file.\nNow.", parameters },
      }),
    ).toBe(
      [
        "// Open a file.",
        "// Now.",
        "type open = (_: {",
        "// The file",
        "path: string,",
        'mode?: "r" | "w", // default: "r"',
        "lines?: {",
        "    at?: number | null,",
        "    }[],",
        "any?: number | boolean,",
        "}) => any;",
        "",
      ].join("\n"),
    );
    const none = { name: "now", description: "The time.", parameters: { type: "object", properties: {} } };
    expect(openAIForm({ type: "function", function: none })).toBe("// The time.\ntype now = () => any;\n");
  });
});

describe("geminiTexts()", () => {
  test("are the words of a declaration, with what is within it, and no JSON", () => {
    const parameters: JsonSchema = {
      type: "object",
      required: ["a"],
      properties: {
        a: { type: "string", description: "first", enum: ["x", "y"] },
        b: { type: "array", items: { type: "object", properties: { c: { format: "date" } } } },
      },
    };
    expect(geminiTexts({ name: "n", description: "d", parameters })).toEqual([
      "n",
      "d",
      "a",
      "a",
      "first",
      "x",
      "y",
      "b",
      "c",
      "date",
    ]);
    expect(geminiTexts({ name: "n", description: "d" })).toEqual(["n", "d"]);
  });
});

describe("definitionCounter()", () => {
  /** One of the definitions that the factors were measured with. */
  const budget = tool("finance_get_budget", {
    description:
      "Retrieve the current fiscal-year budget allocation, year-to-date spend, encumbrances, and remaining balance for a given cost center or project code.",
    properties: { cost_center: { type: "string" }, fiscal_year: { type: "integer" } },
  });

  test.each([
    ["openai", true, 52],
    ["openai-strict", true, 56],
    ["anthropic", false, 89],
    ["gemini", false, 39],
    ["mcp", false, 64],
  ] as const)("counts for %s", async (target, exact, tokens) => {
    const counter = await definitionCounter(target);
    const definition = createRegistry(budget).toLLMTool("finance_get_budget", target);
    expect(counter).toMatchObject({ exact, tokenizer: "o200k_base" });
    expect(counter.basis.startsWith("an estimate")).toBe(!exact);
    expect(definition && counter.of(definition)).toBe(tokens);
  });

  test("takes what looks like a special token for text", async () => {
    const { text } = await definitionCounter("openai");
    expect(text("<|endoftext|>")).toBeGreaterThan(1);
  });

  test("leaves out of an MCP definition what clients do not pass on", async () => {
    const counter = await definitionCounter("mcp");
    const plain = createRegistry(tool("a")).toLLMTool("a", "mcp");
    const annotated = createRegistry({
      ...tool("a"),
      icons: [{ src: "https://example.com/a.png" }],
      output: { type: "object" },
    });
    const definition = annotated.toLLMTool("a", "mcp");
    expect(definition && counter.of(definition)).toBe(plain && counter.of(plain));
  });
});

describe("costOfTools()", () => {
  test("adds tools up to groups and to a whole, the dearest first", async () => {
    const registry = createRegistry(
      tool("a", { pack: "files" }),
      tool("b", { pack: "files", description: "B ".repeat(200) }),
      ...many,
    );
    const report = await costOfTools(registry, { target: "openai", core: ["a"] });
    expect(report.groups.map(({ name, kind, tools }) => [name, kind, tools])).toEqual([
      ["wiki", "server", 100],
      ["files", "pack", 2],
    ]);
    const sum = report.tools.reduce((total, { tokens }) => total + tokens, 0);
    expect(report.whole).toEqual({ tools: 102, tokens: sum + report.fixed });
    expect(report.groups.reduce((total, { tokens }) => total + tokens, 0)).toBe(sum);
    const tokens = report.tools.map((one) => one.tokens);
    expect(tokens).toEqual(tokens.toSorted((a, b) => b - a));
    expect(report.tools[0]).toMatchObject({ name: "b", group: "files", tier: "on demand" });
    expect(report.tools.find(({ name }) => name === "a")?.tier).toBe("core");
  });

  test.each(llmTargets)(
    "says for %s what a lean list spares, and that auto takes it past the budget",
    async (target: LLMTarget) => {
      const registry = createRegistry(tool("a", { pack: "files" }), ...finders, ...many);
      const { whole, lean, saved, choice, tools } = await costOfTools(registry, {
        target,
        core: ["a"],
        budget: 5000,
      });
      expect(choice.exposure).toBe("search");
      expect(whole).toMatchObject({ tools: 101 });
      expect(lean).toMatchObject({ tools: 1 + finders.length });
      expect(whole.tokens).toBeGreaterThan(5000);
      const less = whole.tokens - lean.tokens;
      expect(saved.request).toEqual({ tokens: less, share: less / whole.tokens });
      expect(saved.request.share).toBeGreaterThan(0.8);
      expect(saved.interaction.tokens).toBeGreaterThan(0);
      // Most of a list that stays is read from the cache: what is spared of it is worth less than its tokens.
      expect(saved.cost.tokens).toBeLessThan(saved.interaction.tokens);
      expect(
        tools
          .filter(({ tier }) => tier === "finder")
          .map(({ name }) => name)
          .sort(),
      ).toEqual([...selectionToolNames].sort());
    },
  );

  test("takes the budget of its target, and pinned tools into the core", async () => {
    const registry = createRegistry(...finders, ...many);
    const whole = await costOfTools(registry, {
      target: "openai",
      core: [],
      budget: { openai: 1e6, "*": 10 },
    });
    expect(whole.choice).toMatchObject({ exposure: "inline", budget: 1e6 });
    const some = await costOfTools(registry, { target: "openai", core: ["wiki_1?"], budget: 5000 });
    expect(some.tools.filter(({ tier }) => tier === "core").length).toBe(10);
    const none = await costOfTools(registry, { target: "openai", core: [], budget: 5000 });
    expect(some.lean.tokens).toBeGreaterThan(none.lean.tokens);
  });

  test("is nothing, and no division by it, without tools", async () => {
    const report = await costOfTools(createRegistry(), { target: "openai", core: [] });
    expect(report).toMatchObject({
      whole: { tools: 0, tokens: 0 },
      lean: { tools: 0, tokens: 0 },
      tools: [],
      groups: [],
      choice: { exposure: "inline" },
    });
    expect(report.saved.request).toEqual({ tokens: 0, share: 0 });
  });
});
