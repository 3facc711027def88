import { cutHead, cutTail } from "../../base/index.ts";
import { tokensIn } from "./pieces.ts";

/** Characters of one text that are looked at: three quarters from its start, the rest from its end. */
const maxTextChars = 262_144;
/** The most texts of one value, so that many small ones take no longer. */
const maxTexts = 10_000;
const maxDepth = 32;

/** The texts in a value, each within its limit; the names of inner fields are texts too, those of its own are its tool's. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  let left = maxTextChars;
  const visit = (part: unknown, depth: number) => {
    if (texts.length >= maxTexts || left <= 0) return;
    if (typeof part === "string") add(part);
    else if (typeof part === "number" || typeof part === "bigint") add(String(part));
    else if (Array.isArray(part) && depth < maxDepth) for (const item of part) visit(item, depth + 1);
    else if (typeof part === "object" && part !== null && depth < maxDepth) {
      for (const key in part) {
        if (!Object.hasOwn(part, key)) continue;
        if (depth > 0 && carriesData(key)) add(key);
        visit((part as Record<string, unknown>)[key], depth + 1);
      }
    }
  };
  const add = (text: string) => {
    if (text.length < shortest) return;
    const cut = withinLimit(text, Math.min(left, maxTextChars));
    left -= cut.length;
    texts.push(cut);
  };
  try {
    visit(value, 0);
  } catch {} // What does not let itself be read ends there.
  return texts;
}

const commandFields = ["command", "cmd", "commands", "script", "line"];

/** Collects the argument texts that a tool runs as command lines, recognised by the argument's name. */
export function commandsIn(params: unknown): string[] {
  if (typeof params !== "object" || params === null) return [];
  return commandFields.flatMap((name) =>
    Object.hasOwn(params, name) ? textsIn((params as Record<string, unknown>)[name]) : [],
  );
}

/** It is no name that a field or a header would have. */
function carriesData(key: string): boolean {
  return /[\s/@:]/.test(key) || !tokensIn(key.toLowerCase()).next().done;
}

/** Nothing shorter can be told from another's words. */
const shortest = 4;

function withinLimit(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${cutHead(text, Math.floor(limit * 0.75))}\n${cutTail(text, Math.floor(limit * 0.25))}`;
}
