import type { Overview } from "../../app/memory/index.ts";
import { formatBytes } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { renderTable } from "../text/table.ts";
import { shown, toMinute } from "./entry-text.ts";

export function renderOverview(overview: Overview, terminal: Terminal): string {
  const { scope, total, pinned, shared, databaseBytes } = overview;
  const size = databaseBytes === undefined ? "" : `, ${formatBytes(databaseBytes)} in all`;
  const rows: readonly (readonly [string, string])[] = [
    ["memory of", scope],
    ["entries", `${number(total)}${total === 0 ? ": `haft memory add` makes one, and agents do" : ""}`],
    ...(total === 0
      ? []
      : ([
          ["kinds", countsText(overview.kinds)],
          ["tiers", countsText(overview.tiers)],
        ] as const)),
    ...(pinned + shared === 0
      ? []
      : ([["of these", `${number(pinned)} pinned, ${number(shared)} shared by others`]] as const)),
    ["search", searchText(overview)],
    ["waiting", overview.waiting ?? "nothing"],
    ["project", overview.project],
    ["database", `${overview.database}${size}`],
    ["files", overview.folder],
  ];
  const table = renderTable(
    [
      { title: "", paint: (text) => terminal.paint("dim", text) },
      { title: "", overflow: "wrap" },
    ],
    rows.map(([name, value]) => [name, shown(terminal, value, 2000)]),
    { width: terminal.width, titles: false },
  );
  return `${table}${failedText(overview, terminal)}`;
}

/** Past it nobody counts. */
function number(count: number): string {
  return count >= 10_000 ? "10,000 or more" : count.toLocaleString("en");
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([word, count]) => `${number(count)} ${word}`)
    .join(", ");
}

function searchText({ meaning }: Overview): string {
  if (meaning === undefined) return "by names and words; tools.search.embedder adds meaning";
  const left = meaning.of - meaning.made;
  const model = `the model is ${meaning.model}`;
  if (left === 0) return `by names, words and meaning, which is up to date; ${model}`;
  return `by names and words; by meaning ${number(meaning.made)} of ${number(meaning.of)} texts of all agents, the others follow while haft runs; ${model}`;
}

function failedText({ failed }: Overview, terminal: Terminal): string {
  if (failed.length === 0) return "";
  const rows = failed.map(({ id, kind, endedAt, lastError }) => [
    id,
    kind,
    endedAt === undefined ? "" : toMinute(endedAt),
    shown(terminal, lastError ?? "", 1000),
  ]);
  const table = renderTable(
    [
      { title: "Failed job", paint: (text) => terminal.paint("bold", text) },
      { title: "Kind" },
      { title: "When" },
      { title: "Why", overflow: "wrap" },
    ],
    rows,
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
  return `\n${table}→ put right why, then \`haft memory retry\`\n`;
}
