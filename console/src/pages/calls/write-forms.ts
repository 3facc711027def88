import { isRecord, parseJson, shellWord } from "../../../../src/base/index.ts";
import type { CallRecord } from "./call-types.ts";

/** Characters that a rule does not take literally. */
const special = /[*?[\]{}!\\]/;

/** A rule that would allow the same call again: its tool, with those arguments that a rule can name exactly. */
export function writeRule({
  toolName,
  paramsText,
  erased,
}: Pick<CallRecord, "toolName" | "paramsText" | "erased">): string {
  const params = erased ? undefined : parseJson(paramsText);
  const named = isRecord(params)
    ? Object.entries(params).filter(
        (entry): entry is [string, string] =>
          typeof entry[1] === "string" &&
          entry[1].length <= 200 &&
          !special.test(entry[1]) &&
          !/[.\n]/.test(entry[0]),
      )
    : [];
  const rule = {
    decision: "allow",
    tool: toolName,
    ...(named.length > 0 && { arguments: Object.fromEntries(named) }),
  };
  return `permissions:\n  - ${JSON.stringify(rule)}\n`;
}

/** The command that makes the same call; undefined if not all of its arguments are known any more. */
export function writeCommand({
  toolName,
  paramsText,
  erased,
}: Pick<CallRecord, "toolName" | "paramsText" | "erased">): string | undefined {
  if (erased || !isRecord(parseJson(paramsText))) return undefined;
  return `haft call ${shellWord(toolName)} ${shellWord(paramsText)}`;
}
