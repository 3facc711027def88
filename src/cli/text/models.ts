import type { ModelListing, ModelTrial } from "../../app/index.ts";
import { oneLine } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { renderTable } from "./table.ts";

/** One line per model, with what each lacks below, and the settings that name none of them. */
export function renderModelList(
  models: readonly ModelListing[],
  unknown: readonly string[],
  terminal: Terminal,
): string {
  const table = renderTable(
    [
      { title: "Name", paint: (text) => terminal.paint("bold", text) },
      { title: "Model", overflow: "cut" },
      { title: "Used by" },
      { title: "Context", align: "right" },
      { title: "Price", align: "right" },
      { title: "Falls back to" },
    ],
    models.map(({ name, id, uses, facts, isContextKnown, isPriced, fallback }) => [
      name,
      terminal.foreign(id),
      uses.join(", ") || "-",
      `${isContextKnown ? "" : "taken for "}${count(facts.contextTokens)}`,
      isPriced ? "known" : "unknown",
      fallback.join(", ") || "-",
    ]),
    {
      width: terminal.width,
      paintTitle: (text) => terminal.paint("dim", text),
      leastTold: ["Price", "Falls back to"],
    },
  );
  const faults = models.flatMap(({ name, missing }) =>
    missing.map(
      (what) => `${terminal.paint("yellow", "missing")} for ${name}: ${terminal.foreign(oneLine(what))}`,
    ),
  );
  const misnamed = unknown.map(
    (what) => `${terminal.paint("yellow", "missing")} for ${terminal.foreign(oneLine(what))}`,
  );
  return table + [...faults, ...misnamed].map((line) => `${line}\n`).join("");
}

/** The result of a test, one fact per line. */
export function renderTrial(name: string, trial: ModelTrial, terminal: Terminal): string {
  const { facts, tools } = trial;
  const rows = [
    ["Model", trial.model],
    ["Said", oneLine(trial.text) || "nothing in words"],
    ["Time", `${trial.firstMs} ms to its first piece, ${trial.wholeMs} ms in all`],
    ["Tokens", describeTokens(trial)],
    ["Cost", describeCost(trial)],
    ["Tools", tools === "called" ? "calls them" : tools === "refused" ? "its API takes none" : "called none"],
    ["Thoughts", trial.thinks ? "shows them" : "shows none"],
    ["Pictures", facts.images ? "looks at them" : "not known to look at them"],
    ["Context", `${count(facts.contextTokens)} tokens, answers up to ${count(facts.maxOutputTokens)}`],
  ];
  return (
    `${terminal.paint("green", "answers")} ${terminal.paint("bold", name)}\n` +
    renderTable(
      [{ title: "" }, { title: "", overflow: "wrap" }],
      rows.map(([title = "", text = ""]) => [title, terminal.foreign(text)]),
      { width: terminal.width, titles: false, indent: "  " },
    )
  );
}

function describeTokens({ usage }: ModelTrial): string {
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  if (inputTokens + outputTokens === 0) return "not told by its provider";
  const cached = cacheReadTokens > 0 ? ` (${count(cacheReadTokens)} from its cache)` : "";
  return `${count(inputTokens)} in${cached}, ${count(outputTokens)} out`;
}

function describeCost({ costMicros }: ModelTrial): string {
  return costMicros === undefined
    ? "not known: it takes prices, and a provider that counts"
    : `$${(costMicros / 1_000_000).toFixed(6)}`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en");
}
