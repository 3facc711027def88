import { getErrorCode, getErrorMessage } from "../../base/index.ts";
import type { CallContext, Decision } from "../../kernel/index.ts";
import type { PolicyTest } from "../config/config-types.ts";
import { type Explanation, explainCall, type Judge } from "./explain-call.ts";
import type { NumberedRule } from "./rules-in-force.ts";

/** What became of one test of the policy. */
export interface PolicyTestResult {
  /** Its name, or its call in one line. */
  readonly name: string;
  readonly passed: boolean;
  readonly expected: Decision;
  /** Absent for a call that would not come to a decision. */
  readonly decided: Decision | undefined;
  /** The rules that decided. */
  readonly by: readonly NumberedRule[];
  /** Why it failed. */
  readonly fault: string | undefined;
}

/**
 * Judges each test under the rules in force. Remembered answers do not count.
 *
 * @example
 * ```ts
 * await using app = await createApp({ folder: process.cwd(), home: new Home(`${process.cwd()}/.home`) });
 * const tests = [{ tool: "read", arguments: { path: "notes.txt" }, expect: "allow" }] as const;
 * const results = await runPolicyTests(app, tests, app.context);
 * results.map(({ passed }) => passed); // → [true]
 * ```
 */
export async function runPolicyTests(
  judge: Judge,
  tests: readonly PolicyTest[],
  context: CallContext,
): Promise<readonly PolicyTestResult[]> {
  const results: PolicyTestResult[] = [];
  for (const test of tests) results.push(await runTest(judge, test, context));
  return results;
}

async function runTest(judge: Judge, test: PolicyTest, context: CallContext): Promise<PolicyTestResult> {
  const { tool, arguments: params = {}, expect: expected } = test;
  const result = { name: test.name ?? `${tool} ${JSON.stringify(params)}`, expected };
  try {
    const explained = await explainCall(judge, tool, params, toContext(test, context));
    // What no rule decided says nothing of the rules.
    if (explained.refusal !== undefined)
      return { ...result, passed: false, decided: undefined, by: [], fault: explained.refusal };
    const by = decisiveRules(explained);
    const fault = findFault(test, explained, by);
    return { ...result, passed: fault === undefined, decided: explained.decision, by, fault };
  } catch (error) {
    if (getErrorCode(error) === undefined) throw error;
    return { ...result, passed: false, decided: undefined, by: [], fault: getErrorMessage(error) };
  }
}

function toContext({ mode, agent, channel, trust }: PolicyTest, context: CallContext): CallContext {
  return {
    ...context,
    origin: { channel: channel ?? "test" },
    ...(mode !== undefined && { mode }),
    ...(agent !== undefined && { agentId: agent }),
    ...(trust !== undefined && { trust }),
  };
}

/** The rules behind the decision: of every effect that got the strictest one. */
function decisiveRules({ effects }: Explanation): readonly NumberedRule[] {
  const strictest = ["deny", "ask", "allow"].find((word) =>
    effects.some(({ decision }) => decision === word),
  );
  const rules = effects.flatMap(({ decision, rule }) => (decision === strictest ? (rule ?? []) : []));
  return Array.from(new Set(rules));
}

function findFault(
  { expect: expected, by: wanted }: PolicyTest,
  { decision, mode }: Explanation,
  by: readonly NumberedRule[],
): string | undefined {
  if (decision !== expected) return `expected ${expected}, decided ${decision} by ${describeRules(by, mode)}`;
  if (wanted === undefined) return undefined;
  const found = by.some(({ rule }) => [rule.reason, rule.target].some((text) => text?.includes(wanted)));
  if (found) return undefined;
  return `decided ${decision} as expected, but by ${describeRules(by, mode)}, and not by one that says "${wanted}"`;
}

function describeRules(rules: readonly NumberedRule[], mode: Explanation["mode"]): string {
  if (rules.length === 0)
    return `no rule${mode === "locked" ? ", and mode locked asks nobody" : ", which asks"}`;
  return rules
    .map(({ number, source, rule }) => `rule ${number} (${source}): ${JSON.stringify(rule)}`)
    .join("; ");
}
