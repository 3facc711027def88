import { firstSentence, getPackName, type ToolInfo } from "../../kernel/index.ts";
import type { FoundTools, ToolScores } from "../../search/index.ts";
import type { Terminal } from "../terminal.ts";
import { type Column, renderTable } from "./table.ts";

/** One line a tool, the best first, with each part of its score that the search had; then what decided. */
export function renderFound(
  { found, by, note }: FoundTools,
  marks: (tool: ToolInfo) => string | undefined,
  terminal: Terminal,
): string {
  const parts = listParts(found.map(({ scores }) => scores));
  const columns: Column[] = [
    { title: "Tool", paint: (text) => terminal.paint("bold", text) },
    { title: "In" },
    ...[...parts, "total" as const].map((part) => ({ title: partTitles[part], align: "right" as const })),
    { title: "Description", overflow: "cut" },
  ];
  const rows = found.map(({ tool, score, scores, neededBy }) => [
    tool.name,
    terminal.foreign(getPackName(tool)),
    ...parts.map((part) => scoreText(scores[part])),
    scoreText(score),
    terminal.foreign(
      [
        marks(tool),
        neededBy === undefined ? undefined : `${neededBy} needs it`,
        firstSentence(tool.description),
      ]
        .filter((text) => text !== undefined)
        .join(": "),
    ),
  ]);
  const table = renderTable(columns, rows, {
    width: terminal.width,
    paintTitle: (text) => terminal.paint("dim", text),
  });
  const wordless = by !== "words" && found.every(({ scores }) => scores.words === 0);
  const how = wordless ? "No tool has a word of this: found by meaning alone." : `Found by ${saidBy[by]}.`;
  return `${table}${[how, note].filter((text) => text !== undefined).join(" ")}\n`;
}

/** What found a tool, as the columns name it. */
const saidBy: Readonly<Record<FoundTools["by"], string>> = {
  words: "words",
  "words and vectors": "words and meaning",
};

/** `rank 2; words 3.10, meaning 0.42, total 1.96`. */
export function describeScores(scores: ToolScores): string {
  const parts = [...listParts([scores]), "total" as const].map(
    (part) => `${partTitles[part].toLowerCase()} ${scoreText(scores[part])}`,
  );
  return `rank ${scores.rank}; ${parts.join(", ")}`;
}

type Part = "words" | "vectors" | "usage";

const partTitles: Readonly<Record<Part | "total", string>> = {
  words: "Words",
  vectors: "Meaning",
  usage: "Past use",
  total: "Score",
};

/** Those that at least one has: without vectors there is nothing to show of them. */
function listParts(scores: readonly ToolScores[]): Part[] {
  return (["words", "vectors", "usage"] as const).filter((part) =>
    scores.some((one) => one[part] !== undefined && (part !== "usage" || one[part] !== 0)),
  );
}

function scoreText(score: number | undefined): string {
  return score === undefined ? "" : score.toFixed(2);
}
