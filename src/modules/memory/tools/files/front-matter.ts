import { cutHead, oneLine } from "../../../../base/index.ts";

/** What the front matter of a memory file says that the search knows how to use. */
export interface MemoryFields {
  readonly title: string | undefined;
  /** Other spellings of what the file is about. */
  readonly names: readonly string[];
  readonly tags: readonly string[];
}

const maxWords = 50;
const maxWordChars = 200;

/** Reads `title`, `aliases` and `tags`, as one value, a list in brackets, or a list of lines; passes over the rest. */
export function readFields(frontMatter: string): MemoryFields {
  const fields = new Map<string, string[]>();
  let list: string[] | undefined;
  for (const line of frontMatter.split("\n")) {
    const item = /^[ \t]*-[ \t](.*)$/.exec(line)?.[1];
    if (item !== undefined) list?.push(item);
    const [, name, value = ""] = /^([A-Za-z]+):(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    list = value.trim() === "" ? [] : splitValues(name.toLowerCase(), value.trim());
    fields.set(name.toLowerCase(), list);
  }
  const matchWords = (name: string) =>
    [...new Set((fields.get(name) ?? []).map(toWord))].filter(Boolean).slice(0, maxWords);
  return {
    title: matchWords("title")[0],
    names: [...matchWords("aliases"), ...matchWords("names")].slice(0, maxWords),
    tags: matchWords("tags").flatMap((tag) => tag.replace(/^#/, "") || []),
  };
}

function splitValues(name: string, value: string): string[] {
  if (value.startsWith("[") && value.endsWith("]")) return value.slice(1, -1).split(",");
  return name === "title" ? [value] : value.split(",");
}

function toWord(text: string): string {
  const word = oneLine(text.replace(/\p{Cc}/gu, " ")).replace(/^(["'])(.*)\1$/, "$2");
  return cutHead(word, maxWordChars);
}
