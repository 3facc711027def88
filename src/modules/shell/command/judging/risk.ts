import type { CommandAnalysis, CommandPart } from "../analysis.ts";
import { onlyLooks } from "./only-looks.ts";
import { type RiskLevel, riskPatterns } from "./risk-patterns.ts";

export interface Risk {
  readonly level: RiskLevel;
  /** One phrase each, the gravest first. */
  readonly reasons: readonly string[];
  /** Nothing that a sandbox prevents: it is asked about there, too. */
  readonly weighs: boolean;
}

const levels: readonly RiskLevel[] = ["low", "medium", "high"];
/** Text of one part that is looked through. */
const mostChars = 4000;

export const downloadRun: Risk = { level: "high", reasons: ["runs what it downloads"], weighs: true };

/** What is known to be dangerous about a line, for whoever is asked. It is shown, and decides nothing. */
export function findRisk(analysis: CommandAnalysis): Risk {
  const risks = analysis.parts.map(riskOfPart);
  if (isDownloadRun(analysis.parts)) risks.push(downloadRun);
  if (analysis.files.some(({ kind }) => kind === "overwrite")) {
    risks.push({ level: "medium", reasons: ["replaces what is in a file"], weighs: true });
  }
  risks.sort((a, b) => levels.indexOf(b.level) - levels.indexOf(a.level));
  return {
    level: risks[0]?.level ?? "low",
    reasons: Array.from(new Set(risks.flatMap(({ reasons }) => reasons))),
    weighs: risks.some(({ weighs }) => weighs),
  };
}

/** What is known of one part by itself. */
export function riskOfPart({ text, words, aliases, readOnly }: CommandPart): Risk {
  if (readOnly) return { level: "low", reasons: [], weighs: false };
  const texts = (isMessage(words) ? [withoutMessage(words)] : [text, ...aliases]).map((one) =>
    one.slice(0, mostChars),
  );
  const plain = text.replace(/^(\/usr)?\/s?bin\//, "").slice(0, mostChars);
  if (onlyLooks.some((pattern) => pattern.test(plain))) {
    return { level: "low", reasons: [], weighs: false };
  }
  const found = riskPatterns.filter(({ pattern }) => texts.some((one) => pattern.test(one)));
  found.sort((a, b) => levels.indexOf(b.level) - levels.indexOf(a.level));
  return {
    level: found[0]?.level ?? "low",
    reasons: Array.from(new Set(found.map(({ reason }) => reason))),
    weighs: found.some(({ contained }) => contained !== true),
  };
}

/** `git commit` and `git tag` with a message: what it says is nobody's command. */
function isMessage([program, command]: readonly string[]): boolean {
  return program === "git" && (command === "commit" || command === "tag");
}

function withoutMessage(words: readonly string[]): string {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (/^(-[a-ln-zA-Z]*m|--message)$/.test(word)) at++;
    kept.push(word.replace(/^(-[a-ln-zA-Z]*m|--message=).*$/s, "$1"));
  }
  return kept.join(" ");
}

/** A download beside a shell that runs what it reads. */
export function isDownloadRun(parts: readonly CommandPart[]): boolean {
  return (
    parts.some(({ text }) => /^(\S*\/)?(curl|wget|fetch|http|https|aria2c)(\s|$)/.test(text)) &&
    parts.some(
      ({ text, opaque }) =>
        opaque !== undefined &&
        /^(\S*\/)?(\w*sh|python[\d.]*|node|perl|ruby|source|\.|eval)(\s|$)/.test(text),
    )
  );
}
