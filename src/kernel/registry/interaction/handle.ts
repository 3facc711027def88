/** One thing that a handle lists. */
export type HandleEntry = { readonly tool: string } | { readonly pack: string };

// What a model copies is a few words; what is over the bounds was not written by an interaction.
const mostChars = 64_000;
const mostEntries = 1000;
const longestEntry = 256;

/** `git/*, web_search`: a whole pack has a star, a single tool is its name. */
export function writeEntry(entry: HandleEntry): string {
  return "tool" in entry ? entry.tool : `${entry.pack.replace(separators, encodeURIComponent)}${wholePack}`;
}

const wholePack = "/*";
const separators = /[\s,;%"`[\]]/gu;

export function writeHandle(entries: Iterable<string>): string {
  return [...entries].join(", ");
}

/** What a handle lists, as far as it can be read: whoever passes it on may have put it in quotes or in a list. */
export function readHandle(handle: string): HandleEntry[] {
  const words = handle.slice(0, mostChars).split(/[\s,;"`[\]]+/u);
  return words
    .filter((word) => word !== "" && word !== wholePack && word.length <= longestEntry)
    .slice(0, mostEntries)
    .map(readEntry);
}

function readEntry(word: string): HandleEntry {
  return word.endsWith(wholePack) ? { pack: decode(word.slice(0, -wholePack.length)) } : { tool: word };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
