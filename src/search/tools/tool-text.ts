import { cutHead, isRecord, resolveLocalRef } from "../../base/index.ts";
import type { JsonSchema, ToolInfo } from "../../kernel/index.ts";
import { getCalledPackName } from "../../kernel/index.ts";
import { findDeed } from "./deeds.ts";
import { ordinaryWeight } from "./lexical-index.ts";
import { spaced, splitTerms } from "./words.ts";

/** What a tool is found by. */
export interface ToolText {
  readonly name: string;
  readonly pack: string;
  readonly description: string;
  /** Names, descriptions and choices of its parameters. */
  readonly parameters: string;
}

/**
 * How the words of each count, in the order of {@link termsOfTool}. Measured on public sets; twice or half of any
 * weight changes nDCG@10 by about a point.
 */
export const toolWeights: readonly number[] = [
  2 * ordinaryWeight,
  ordinaryWeight,
  ordinaryWeight,
  0.6 * ordinaryWeight,
  ordinaryWeight,
  2 * ordinaryWeight,
];

const longestDescription = 8000;
const longestParameters = 4000;
const longestPack = 500;

/** The pack of tools that are in none: what they have in common says nothing. */
export const noPack = "custom";

/** @param aboutPack what is known of its pack beside the name */
export function textOfTool(tool: ToolInfo, schema: JsonSchema | undefined, aboutPack = ""): ToolText {
  const pack = getCalledPackName(tool);
  const { name, title = "", description } = tool;
  const ownName = name.startsWith(`${pack}__`) ? name.slice(pack.length + 2) : name;
  return {
    name: title === name ? ownName : `${ownName} ${cutHead(title, longestPack)}`.trim(),
    pack: pack === noPack ? "" : cutHead(`${pack}\n${aboutPack}`.trim(), longestPack),
    description: cutHead(description, longestDescription),
    parameters: schema === undefined ? "" : parameterText(schema),
  };
}

/**
 * The terms of each field: words of the name, pack, description, parameters, examples; numbers and kinds of verbs of the name.
 *
 * @param examples messages that the tool served before
 */
export function termsOfTool(text: ToolText, examples: readonly string[]): string[][] {
  const name = splitTerms(text.name);
  const kinds = new Set(name.map(findDeed).filter((kind) => kind !== undefined));
  const others = [text.pack, text.description, text.parameters, examples.join("\n")];
  // A number of a version is no word that a name has to be asked for by.
  const isNumber = (term: string) => /^\p{N}+$/u.test(term);
  const rest = [...name.filter(isNumber), ...kinds];
  return [name.filter((term) => !isNumber(term)), ...others.map(splitTerms), rest];
}

/** Sentence models lose the thread of longer ones, and take their time for them. */
const longestSentence = 500;

/** What stands for the tool where vectors are compared. What it is called is said once: each time more draws the vector to it. */
export function sentenceOfTool({ name, pack, description }: ToolText): string {
  const [packName = ""] = pack.split("\n", 1);
  const called = new Map<string, string>();
  for (const word of spaced(`${packName} ${name}`).split(" ")) {
    const term = splitTerms(word).join(" ");
    if (term !== "" && !called.has(term)) called.set(term, word);
  }
  return cutHead(`${[...called.values()].join(" ")}: ${description}`, longestSentence);
}

const mostParts = 500;
const mostChoices = 20;
const mostRefs = 50;
const nested = ["items", "additionalProperties", "prefixItems", "anyOf", "oneOf", "allOf"] as const;

/** Each part of a schema once, the nearest first, until there is enough. */
function parameterText(schema: JsonSchema): string {
  const seen = new Set<unknown>();
  const pending: unknown[] = [schema];
  let text = "";
  let refs = 0;
  for (let at = 0; at < pending.length && at < mostParts && text.length < longestParameters; at++) {
    const part = pending[at];
    if (!isRecord(part) || seen.has(part)) continue;
    seen.add(part);
    text += ownText(part, part === schema);
    const { properties, $ref } = part;
    if (isRecord(properties)) {
      const names = Object.keys(properties).slice(0, mostParts);
      text += ` ${names.join(" ")}`;
      pending.push(...names.map((name) => properties[name]));
    }
    for (const keyword of nested) {
      const inner = part[keyword];
      if (Array.isArray(inner)) pending.push(...inner.slice(0, mostParts));
      else pending.push(inner);
    }
    if (typeof $ref === "string" && refs++ < mostRefs) pending.push(resolveLocalRef(schema, $ref));
  }
  return cutHead(text, longestParameters);
}

function ownText({ title, description, enum: choices }: JsonSchema, isRoot: boolean): string {
  if (isRoot) return "";
  const all = Array.isArray(choices) ? choices.slice(0, mostChoices) : [];
  return [title, description, ...all]
    .filter((text) => typeof text === "string")
    .map((text) => ` ${cutHead(text, longestParameters)}`)
    .join("");
}
