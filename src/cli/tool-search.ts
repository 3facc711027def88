import type { JsonSchema, Tool } from "../kernel/index.ts";
import { listParameters } from "./schema-view.ts";

export interface FoundTool {
  readonly tool: Tool;
  /** Larger is nearer. Only the order means something. */
  readonly score: number;
}

/** Of the best score: what is further off shares a word by chance. */
const leastShare = 0.25;

/** The tools that share a word with `query`, nearest first: a word in the name counts most, one in a parameter least. */
export function searchTools(
  query: string,
  tools: readonly Tool[],
  schemaOf: (name: string) => JsonSchema | undefined,
): FoundTool[] {
  const wanted = [...new Set(wordsOf(query))];
  const found: FoundTool[] = [];
  for (const tool of tools) {
    const fields = [
      { weight: 8, words: wordsOf(tool.name) },
      { weight: 4, words: wordsOf(`${tool.title ?? ""} ${tool.category}`) },
      { weight: 3, words: wordsOf(tool.description) },
      { weight: 1, words: parameterWords(schemaOf(tool.name)) },
    ];
    const hits = wanted.map((word) =>
      Math.max(...fields.map(({ weight, words }) => weight * nearness(word, words))),
    );
    const matched = hits.filter((hit) => hit > 0).length;
    const total = hits.reduce((sum, hit) => sum + hit, 0);
    if (matched > 0) found.push({ tool, score: (total * matched) / wanted.length });
  }
  found.sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1));
  const least = leastShare * (found[0]?.score ?? 0);
  return found.filter(({ score }) => score >= least);
}

function parameterWords(schema: JsonSchema | undefined): string[] {
  if (schema === undefined) return [];
  return listParameters(schema).flatMap(({ name, description }) => wordsOf(`${name} ${description}`));
}

/** 1 for the word itself, a half for a longer word that starts with it. */
function nearness(word: string, words: readonly string[]): number {
  if (words.includes(word)) return 1;
  return word.length > 2 && words.some((other) => other.startsWith(word)) ? 0.5 : 0;
}

/** Words that stand in every sentence, and say nothing of what is looked for. */
const empty = new Set(
  "a an and are as at be by can do for from how i in into is it me my of on or that the this to what with".split(
    " ",
  ),
);

/** Lower case, apart at everything that is no letter or digit and at camel case; without a plural s. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !empty.has(word))
    .map((word) =>
      word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word,
    );
}
