import { isRecord, parseJson } from "../../base/index.ts";
import type { JsonSchema } from "../../kernel/index.ts";
import { CliError } from "../errors.ts";
import { listTypes, schemaAt } from "../text/schema-view.ts";

/**
 * The arguments of a call as they were typed: a JSON object, and `key=value` pairs over it. A value takes the type
 * that the tool's schema gives it; a dotted key reaches into objects; a key given again adds to a list; `key:=json`
 * is JSON as it stands.
 *
 * @throws {CliError} CLI_ARGUMENT
 */
export function readCallArguments(
  json: string | undefined,
  pairs: readonly string[],
  schema: JsonSchema,
): unknown {
  const given = json === undefined ? {} : readJson(json);
  if (pairs.length === 0) return given;
  if (!isRecord(given)) {
    throw new CliError(
      "CLI_ARGUMENT",
      "Cannot add --arg to these arguments: the JSON given is not an object; give an object, or only --arg",
    );
  }
  const target = structuredClone(given);
  const seen = new Set<string>();
  for (const pair of pairs) {
    const { key, text, raw } = splitPair(pair);
    const path = key.split(".");
    const place = schemaAt(schema, path);
    const isList = !raw && listTypes(place).includes("array");
    if (seen.has(key) && !isList) {
      throw new CliError("CLI_ARGUMENT", `Cannot use --arg ${key} twice: it is not a list; give it once`);
    }
    const item = isList ? schemaAt(place, ["0"]) : place;
    const value = raw ? readRaw(key, text) : toTyped(key, text, item);
    setAt(
      target,
      path,
      isList
        ? (earlier) => [...(seen.has(key) && Array.isArray(earlier) ? earlier : []), value]
        : () => value,
    );
    seen.add(key);
  }
  return target;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(
      "CLI_ARGUMENT",
      `Cannot read the arguments as JSON: ${why}; quote the whole object for your shell, for example '{"path":"."}', or use --arg path=.`,
      { cause },
    );
  }
}

function splitPair(pair: string): { key: string; text: string; raw: boolean } {
  const at = pair.indexOf("=");
  const raw = at > 0 && pair[at - 1] === ":";
  const key = pair.slice(0, raw ? at - 1 : at);
  if (at < 1 || key === "" || key.split(".").some((part) => part === "" || part === "__proto__")) {
    throw new CliError(
      "CLI_ARGUMENT",
      `Cannot use --arg "${pair}": it is not key=value; write --arg path=src, --arg options.depth=2 or --arg list:='["a"]'`,
    );
  }
  return { key, text: pair.slice(at + 1), raw };
}

function readRaw(key: string, text: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw new CliError(
    "CLI_ARGUMENT",
    `Cannot use --arg ${key}:=${text}: what follows := is not JSON; for a plain text write --arg ${key}=${text}`,
  );
}

/** The text where a text will do; else the first of null, boolean and number that it reads as. */
function toTyped(key: string, text: string, schema: JsonSchema): unknown {
  const types = listTypes(schema);
  if (types.length === 0 || types.includes("string")) return text;
  if (types.includes("null") && text === "null") return null;
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  if ((types.includes("number") || types.includes("integer")) && isNumber(text)) return Number(text);
  const value = parseJson(text);
  if ((types.includes("object") && isRecord(value)) || (types.includes("array") && Array.isArray(value)))
    return value;
  throw new CliError(
    "CLI_ARGUMENT",
    `Cannot use --arg ${key}=${text}: "${key}" is ${types.join(" or ")}; ${types.includes("object") ? `write --arg ${key}.name=value, or --arg ${key}:='{…}'` : "give one"}`,
  );
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}

function setAt(
  target: Record<string, unknown>,
  path: readonly string[],
  change: (earlier: unknown) => unknown,
): void {
  let place: Record<string, unknown> | unknown[] = target;
  for (const [at, part] of path.entries()) {
    const key = Array.isArray(place) ? findIndex(path, at, place) : part;
    const holder = place as Record<string | number, unknown>;
    const earlier = Object.hasOwn(holder, key) ? holder[key] : undefined;
    if (at === path.length - 1) {
      holder[key] = change(earlier);
      return;
    }
    if (!isRecord(earlier) && !Array.isArray(earlier))
      holder[key] = /^\d+$/.test(path[at + 1] as string) ? [] : {};
    place = holder[key] as Record<string, unknown> | unknown[];
  }
}

function findIndex(path: readonly string[], at: number, list: readonly unknown[]): number {
  const index = Number(path[at]);
  if (Number.isInteger(index) && index >= 0 && index <= list.length) return index;
  throw new CliError(
    "CLI_ARGUMENT",
    `Cannot use --arg ${path.join(".")}: "${path[at]}" is no place in a list of ${list.length}; count from 0, without gaps`,
  );
}
