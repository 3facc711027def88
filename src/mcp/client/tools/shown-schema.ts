import { cutHead, hasInvisible, isRecord, showInvisible } from "../../../base/index.ts";

const maxText = 4000;
const maxDepth = 40;
/** Keywords whose values are data, not schemas: what is in them has a meaning of its own. */
const dataKeywords: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "required"]);
/** Keywords whose values are schemas by name: the names are not keywords. */
const namedSchemas: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
const textKeywords: ReadonlySet<string> = new Set(["title", "description", "$comment"]);

/** A stranger's text as it may be shown to a model or a person: bounded, with everything invisible written out. */
export function shownText(text: string, length: number = maxText): string {
  return cutHead(showInvisible(text), length);
}

/** Escapes of JSON that may stand for something invisible, and the keyword whose values become texts. */
const mayBeShownOtherwise = /\\[bfru]|"enumNames"/;

/** Whether a definition with this JSON text is shown as it is: all of it can be seen, and nothing of it is cut. */
export function isShownAsIs(text: string): boolean {
  return text.length <= maxText && !mayBeShownOtherwise.test(text) && !hasInvisible(text);
}

/** The same schema, whose texts for readers are {@link shownText}; nothing that decides about a value is changed. */
export function shownSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return shown(schema, 0) as Record<string, unknown>;
}

const hiding = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whether a shown schema has still something in it that a model reads and no person sees: in a name, a value or a
 * pattern, which can't be written otherwise without meaning something else.
 */
export function hidesSomething(schema: Readonly<Record<string, unknown>>): boolean {
  let hides = false;
  const look = (text: string) => {
    hides ||= hiding.test(text) && hiding.test(withoutEmoji(text));
  };
  JSON.stringify(schema, (key, value: unknown) => {
    look(key);
    if (typeof value === "string") look(value);
    return value;
  });
  return hides;
}

/**
 * Invisible characters inside an emoji are a visible part of it. Compiling the pattern takes 10 ms, so that waits until
 * a text needs it.
 */
function withoutEmoji(text: string): string {
  return text.replace(/\p{RGI_Emoji}/gv, "");
}

function shown(schema: unknown, depth: number): unknown {
  if (depth > maxDepth) return schema;
  if (Array.isArray(schema)) return schema.map((part) => shown(part, depth + 1));
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (textKeywords.has(key) && typeof value === "string") return [key, shownText(value)];
      if (key === "enumNames" && Array.isArray(value))
        return [key, value.map((name) => shownText(String(name)))];
      if (dataKeywords.has(key)) return [key, value];
      if (namedSchemas.has(key) && isRecord(value))
        return [
          key,
          Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown(one, depth + 2)])),
        ];
      return [key, shown(value, depth + 1)];
    }),
  );
}
