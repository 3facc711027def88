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

/** The parts of a call that go into a policy test. */
export type TestedCall = RuledCall & Pick<CallRecord, "decision" | "agentId" | "channel">;

/**
 * Writes the policy test that holds what rules decided of a call, for a configuration; undefined if nothing was decided or
 * not all of its arguments are known any more.
 */
export function writeTest(call: TestedCall): string | undefined {
  const { toolName, paramsText, erased, decision, agentId, channel } = call;
  const params = erased ? undefined : parseJson(paramsText);
  // What a plan allowed is part of another call, and has no decision of its own.
  if (decision === undefined || decision.by.startsWith("plan:")) return undefined;
  if (!isRecord(params) || paramsText.includes("[secret]")) return undefined;
  const rule = parseJson(decision.by);
  const isByRule = decision.by === "default" || isRecord(rule);
  const by = isRecord(rule) ? (rule["reason"] ?? rule["target"]) : undefined;
  const test = {
    tool: toolName,
    ...(Object.keys(params).length > 0 && { arguments: params }),
    ...(agentId !== undefined && { agent: agentId }),
    ...(channel !== undefined && { channel }),
    // A person or a remembered answer decided because the rules said `ask`. The mode `locked` asks nobody.
    ...(decision.by === "mode locked" && { mode: "locked" }),
    expect: isByRule || decision.by === "mode locked" ? decision.decision : "ask",
    ...(typeof by === "string" && { by }),
  };
  return `policyTests:\n  - ${JSON.stringify(test)}\n`;
}
