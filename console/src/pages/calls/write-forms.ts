import { isRecord, parseJson, shellWord } from "../../../../src/base/index.ts";
import type { CallRecord } from "./call-types.ts";

/** Characters that a rule does not take literally. */
const special = /[*?[\]{}!\\]/;

/** The rule of `writeRuleItem` as a file has it. */
export function writeRule(call: RuledCall): string {
  return `permissions:\n  ${writeRuleItem(call)}\n`;
}

/** What of a call goes into a rule. */
export type RuledCall = Pick<CallRecord, "toolName" | "paramsText" | "erased">;

/** A rule that would allow the same call again, as an item of a list: its tool, with those arguments that a rule can name exactly. */
export function writeRuleItem({ toolName, paramsText, erased }: RuledCall): string {
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
  return `- ${JSON.stringify(rule)}`;
}

/** The command that makes the same call; undefined if not all of its arguments are known any more. */
export function writeCommand({ toolName, paramsText, erased }: RuledCall): string | undefined {
  if (erased || !isRecord(parseJson(paramsText))) return undefined;
  return `haft call ${shellWord(toolName)} ${shellWord(paramsText)}`;
}
