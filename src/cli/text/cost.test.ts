import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { costsOfApp } from "../../app/index.ts";
import { ToolRegistry } from "../../index.ts";
import { defineTool, type LLMTarget, selectionToolNames, type Tool } from "../../kernel/index.ts";
import { Terminal } from "../terminal.ts";
import { renderCosts } from "./cost.ts";

function makeTool(name: string, pack: string, origin = "haft"): Tool {
  const description = `Do what ${name} does. ${"It says more than it needs to. ".repeat(40)}`;
  return defineTool({ name, description, pack, origin, parameters: { type: "object" }, execute: () => "" });
}

const own = ["read", "grep", "bash"].map((name) => makeTool(name, "files"));
const finders = selectionToolNames.map((name) => makeTool(name, "selection"));
const server = (tools: number) =>
  Array.from({ length: tools }, (_, at) => makeTool(`hub__${at}`, "hub\u001b[2J", "mcp:hub"));

interface Case {
  readonly target?: LLMTarget;
  readonly all?: boolean;
  readonly isTTY?: boolean;
}

async function render(
  tools: readonly Tool[],
  { target = "mcp", all = false, isTTY = false }: Case = {},
): Promise<string> {
  const registry = new ToolRegistry();
  registry.registerMany(tools);
  const loaded = { config: {} } as Parameters<typeof costsOfApp>[0]["loaded"];
  const report = await costsOfApp({ registry, profile: "coding", loaded }, { target });
  const stdout = Object.assign(new PassThrough(), { isTTY, columns: 200 });
  const terminal = new Terminal({ stdin: new PassThrough(), stdout, stderr: new PassThrough() });
  return renderCosts(report, { all }, terminal);
}

describe("renderCosts()", () => {
  test("lists servers and packs, and of the tools the dearest, with how many more there are", async () => {
    const text = await render([...own, ...finders, ...server(50)]);
    expect(text).toMatch(/^Server or pack +Tools +Tokens +Share\nhub.* \(MCP\) +50 /);
    expect(text).toMatch(/\nfiles +3 /);
    expect(text).toContain("\n… 38 more (--all)\n");
    const whole = await render([...own, ...finders, ...server(50)], { all: true });
    expect(whole).not.toContain("--all");
    expect(whole).toMatch(/\nread +all /);
    expect(whole).toMatch(/\nhub__49 +whole ones /);
    expect(whole).toMatch(/\ncall_tool +lean ones +\d+\n/);
  });

  test("shows no control character of a server's name", async () => {
    const text = await render([...own, ...server(3)], { isTTY: true });
    expect(text).toContain("hub");
    expect(text).not.toContain("\u001b[2J");
  });

  test("marks what is chosen, and says what haft serve does and what is saved", async () => {
    const many = await render([...own, ...finders, ...server(50)]);
    expect(many).toMatch(/\n→ core and a search /);
    expect(many).toMatch(
      /\n→ all definitions pass the budget, .* \(tools\.budget 10,000\); `haft serve` shows a lean list/,
    );
    expect(many).toMatch(/tokens with a lean list of 8: [\d,]+ less \(\d\d\.\d %\)/);
    const few = await render([...own, ...finders]);
    expect(few).toMatch(/\n→ all definitions +[\d,]+ +[\d,]+ +[\d,]+\n/);
    expect(few).toContain("`haft serve` shows all of them");
    expect(few).toMatch(/with a lean list of 8: [\d,]+ more/);
    expect(await render(own, { target: "openai" })).not.toContain("haft serve");
  });

  test("says how it was counted, and that an estimate is one", async () => {
    expect(await render(own, { target: "anthropic" })).toMatch(/\nCounted with o200k_base: an estimate, /);
    expect(await render(own, { target: "anthropic" })).toContain("497 of them for having any");
    expect(await render(own, { target: "openai" })).not.toContain("estimate");
  });
});
