import type { CostReport, Saving, ToolCost } from "../../app/index.ts";
import type { Exposure } from "../../search/index.ts";
import type { Terminal } from "../terminal.ts";
import { wrapText } from "./display-width.ts";
import { renderTable } from "./table.ts";

export interface CostDisplay {
  /** List all tools, and not the dearest alone. */
  readonly all: boolean;
}

const mostTools = 20;

/** Servers and packs, the dearest tools, the whole; then what each way of showing them costs, and which one is taken. */
export function renderCosts(report: CostReport, { all }: CostDisplay, terminal: Terminal): string {
  const listed = all ? report.tools : report.tools.slice(0, mostTools);
  const more = report.tools.length - listed.length;
  return [
    renderGroups(report, terminal),
    "\n",
    renderTools(listed, terminal),
    ...(more === 0 ? [] : [`… ${more} more (--all)\n`]),
    "\n",
    wrapped(requestLines(report, terminal), terminal),
    "\n",
    renderWays(report, terminal),
    wrapped(choiceLines(report), terminal),
  ].join("");
}

function wrapped(lines: readonly string[], terminal: Terminal): string {
  return wrapText(lines.join(""), terminal.width).join("\n");
}

function renderGroups({ groups }: CostReport, terminal: Terminal): string {
  return table(
    ["Server or pack", "Tools", "Tokens", "Share"],
    groups.map(({ name, kind, tools, tokens, share }) => [
      kind === "server" ? `${terminal.foreign(name)} (MCP)` : terminal.foreign(name),
      String(tools),
      number(tokens),
      percent(share),
    ]),
    terminal,
  );
}

function renderTools(tools: readonly ToolCost[], terminal: Terminal): string {
  return table(
    ["Tool", "In lists", "Tokens", "Share"],
    tools.map(({ name, tier, tokens, share }) => [
      terminal.foreign(name),
      tierWords[tier],
      number(tokens),
      tier === "finder" ? "" : percent(share),
    ]),
    terminal,
  );
}

const tierWords: Readonly<Record<ToolCost["tier"], string>> = {
  core: "all",
  "on demand": "whole ones",
  finder: "lean ones",
};

function requestLines(report: CostReport, terminal: Terminal): string[] {
  const { target, whole, fixed, lean, saved, tokenizer, basis } = report;
  const own = fixed === 0 ? "" : `, ${number(fixed)} of them for having any`;
  const tokens = (count: number) => terminal.paint("bold", `${number(count)} tokens`);
  return [
    `${tokens(whole.tokens)} in each request to ${target} with all ${whole.tools} tools${own}\n`,
    `${tokens(lean.tokens)} with a lean list of ${lean.tools}: ${spared(saved.request)}\n`,
    `Counted with ${tokenizer}: ${basis}\n`,
  ];
}

/** The three ways over one interaction, the chosen one marked. */
function renderWays({ choice, interaction }: CostReport, terminal: Terminal): string {
  const { requests, toolsUsed } = interaction;
  return table(
    ["Shown", "First request", "Extra requests", `Tokens, ${requests} requests`, "Price"],
    choice.costs.map(({ exposure, definitions, extraRequests, tokens, cost }) => [
      `${exposure === choice.exposure ? "→" : " "} ${wayWords[exposure]}`,
      number(definitions),
      extraRequests === 0 ? "" : `${extraRequests} (for ${toolsUsed} tools)`,
      number(tokens),
      number(cost),
    ]),
    terminal,
  );
}

const wayWords: Readonly<Record<Exposure, string>> = {
  inline: "all definitions",
  index: "core and an index",
  search: "core and a search",
};

function choiceLines({ target, choice, saved }: CostReport): string[] {
  const served = choice.exposure === "inline" ? "all of them" : "a lean list, with the search";
  const gateway =
    target === "mcp" ? `; \`haft serve\` shows ${served}, unless serve.expose says otherwise` : "";
  return [
    "Price: in tokens of uncached input, with the prompt cache at the provider's rates\n",
    `→ ${choice.reason} (tools.budget ${number(choice.budget)})${gateway}\n`,
    `A lean list over the interaction: ${spared(saved.interaction)} in tokens, ${spared(saved.cost)} in price\n`,
  ];
}

function spared({ tokens, share }: Saving): string {
  return tokens < 0
    ? `${number(-tokens)} more (${percent(-share)})`
    : `${number(tokens)} less (${percent(share)})`;
}

function table(titles: readonly string[], rows: readonly (readonly string[])[], terminal: Terminal): string {
  const columns = titles.map((title, at) => ({
    title,
    ...(at === 0 && { paint: (text: string) => terminal.paint("bold", text) }),
    ...(at > 0 && title !== "In lists" && { align: "right" as const }),
  }));
  return renderTable(columns, rows, {
    width: terminal.width,
    paintTitle: (text) => terminal.paint("dim", text),
  });
}

function number(tokens: number): string {
  return Math.round(tokens).toLocaleString("en");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
