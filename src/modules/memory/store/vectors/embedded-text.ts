import { cutHead } from "../../../../base/index.ts";

/** What is known of an entry beside its text. */
export interface EmbeddedEntry {
  readonly text: string;
  readonly title?: string | null;
  /** Each between line feeds. */
  readonly names?: string | null;
  readonly speaker?: string | null;
  /** What was said just before it. */
  readonly before?: string | undefined;
}

/** Models read no more than some hundred words. */
export const longestText = 2000;
/**
 * The characters of the turn before that say what this one answers, and leave a small model room for this
 * one.
 */
export const longestBefore = 300;

/** What of an entry is embedded; empty where it says nothing. A turn means little without what it answers and who says it. */
export function embeddedText({ text, title, names, speaker, before = "" }: EmbeddedEntry): string {
  const own = cutHead(text, longestText).trim();
  if (own === "") return "";
  const heading = [title ?? "", ...(names ?? "").split("\n")].filter((part) => part !== "").join(", ");
  const said = speaker ? `${speaker}: ${own}` : own;
  return cutHead(
    [cutHead(before, longestBefore).trim(), heading, said].filter(Boolean).join("\n"),
    longestText,
  );
}
