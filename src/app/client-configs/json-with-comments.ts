import { parseJson } from "../../base/index.ts";

const string = String.raw`"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|$)`;
const comments = new RegExp(String.raw`${string}|//[^\n]*|/\*[\s\S]*?(?:\*/|$)`, "g");
const lastCommas = new RegExp(String.raw`${string}|,(?=\s*[}\]])`, "g");

/**
 * Reads JSON as editors write it: with comments, and with a comma after the last item.
 *
 * @returns undefined for what is no JSON
 */
export function parseJsonWithComments(text: string): unknown {
  const bare = text.replace(/^\uFEFF/, "");
  return parseJson(bare) ?? parseJson(without(lastCommas, without(comments, bare)));
}

/** Strings stay, whatever is in them. */
function without(pieces: RegExp, text: string): string {
  return text.replace(pieces, (piece) => (piece.startsWith('"') ? piece : " "));
}
