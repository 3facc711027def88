import { coversEffect, describePattern, type Effect, type GrantKey } from "../../../kernel/index.ts";
import { digestOfBounds, digestOfCall, formerDigestOfCall } from "../../ledger/index.ts";
import { findGrantState, formatSession, type GrantTime, readPatterns } from "./grant-row.ts";
import type { ToolGrantRow } from "./tables.ts";

/**
 * Why none of these grants, all of the call's scope and tool, covers it: one sentence on the one that comes nearest.
 * Undefined where none is near.
 */
export function whyNoneCovers(
  rows: readonly ToolGrantRow[],
  key: GrantKey,
  time: GrantTime & { readonly runId: string },
): string | undefined {
  const digests = new CallDigests(key);
  const reasons = rows.flatMap((row) => describeReason(row, digests, time) ?? []);
  reasons.sort((a, b) => a.distance - b.distance);
  return reasons[0]?.text;
}

interface Reason {
  /** The distance from the call to what the grant is for; small is near. */
  readonly distance: number;
  readonly text: string;
}

/** What the call's digest would be under another agent, user or version of the tool: worked out once for each. */
class CallDigests {
  readonly key: GrantKey;
  readonly #known = new Map<string, readonly (string | undefined)[]>();

  constructor(key: GrantKey) {
    this.key = key;
  }

  belongsTo({ digest, agent_id, user_id, tool_version }: ToolGrantRow): boolean {
    const under = JSON.stringify([agent_id, user_id, tool_version]);
    let digests = this.#known.get(under);
    if (digests === undefined) {
      const caller = { agentId: agent_id ?? undefined, userId: user_id ?? undefined };
      const then = { ...this.key, ...caller, toolVersion: tool_version };
      digests = [digestOfCall(then), formerDigestOfCall(then)];
      this.#known.set(under, digests);
    }
    return digests.includes(digest);
  }
}

function describeReason(
  row: ToolGrantRow,
  digests: CallDigests,
  time: GrantTime & { readonly runId: string },
): Reason | undefined {
  const { key } = digests;
  const match = findMatch(row, digests);
  if (match === undefined) return undefined;
  if (row.agent_id !== (key.agentId ?? null)) {
    const [had, has] = [row.agent_id, key.agentId].map((id) => (id ? `the agent ${id}` : "no agent"));
    return { distance: 5, text: `the answer ${row.id} was for calls of ${had}, and this is one of ${has}` };
  }
  if (row.user_id !== (key.userId ?? null))
    return { distance: 5, text: `the answer ${row.id} was for calls of another user` };
  if (row.tool_version !== key.toolVersion) {
    const text = `${row.tool_name} was allowed for version ${row.tool_version}, and this is version ${key.toolVersion}`;
    return { distance: 2, text };
  }
  const end = describeEnd(row, key, time);
  if (end !== undefined) return { distance: match.whole ? 0 : 4, text: end };
  if (match.whole && row.bounds !== null && row.bounds !== digestOfBounds(key))
    return { distance: 1, text: `the answer ${row.id} was for work in another folder` };
  return match.miss === undefined ? undefined : { distance: 3, text: match.miss };
}

function describeEnd(
  row: ToolGrantRow,
  key: GrantKey,
  time: GrantTime & { readonly runId: string },
): string | undefined {
  const state = findGrantState(row, time);
  switch (state) {
    case "revoked":
      return `${row.revoked_by} revoked the answer ${row.id} on ${toDay(row.revoked_at)}`;
    case "expired":
      return `the answer ${row.id} ended on ${toDay(row.expires_at)}`;
    case "unused":
      return `the answer ${row.id} was not used for ${Math.round(time.decayMs / 86_400_000)} days`;
    case "ended":
      return `the answer ${row.id} was for a session that is over`;
    case "standing":
      return row.session === "" || row.session === formatSession(key, time.runId)
        ? undefined
        : `the answer ${row.id} was for another session`;
    default:
      return state satisfies never;
  }
}

interface Match {
  /** It would cover all that asks, but for who calls, when, and where. */
  readonly whole: boolean;
  /** What it does not cover. */
  readonly miss?: string;
}

function findMatch(row: ToolGrantRow, digests: CallDigests): Match | undefined {
  const { key } = digests;
  const patterns = readPatterns(row);
  if (patterns === undefined) return digests.belongsTo(row) ? { whole: true } : undefined;
  const covers = (effect: Effect) => patterns.some((pattern) => coversEffect(pattern, effect));
  const left = key.asked.filter((effect) => !covers(effect));
  if (left.length === 0) {
    const [first] = patterns;
    if (key.asked.length === 0 || first === undefined) return undefined;
    if (key.exactOnly !== true) return { whole: true };
    return { whole: false, miss: `the answer ${row.id} is to ${describePattern(first)}` };
  }
  for (const effect of left) {
    const near = patterns.find((pattern) => isNear(pattern, effect));
    if (near === undefined) continue;
    const what = `the answer ${row.id} is to ${describePattern(near)}`;
    return { whole: false, miss: `${what}, ${howItMisses(effect)}` };
  }
  return undefined;
}

function howItMisses(effect: Effect): string {
  if (effect.opaque === true) return "and this can't be read before it runs";
  if (effect.risk !== undefined) return `and this is risky (${effect.risk})`;
  return `not to ${describePattern({ kind: effect.kind, target: effect.target, reach: "same" })}`;
}

/** The same kind of thing: a command of the same program, a file beside the folder, another origin. */
function isNear(
  { kind, target }: { readonly kind: string; readonly target: string },
  effect: Effect,
): boolean {
  if (kind !== effect.kind) return false;
  if (kind === "connect") return true;
  if (kind === "run") return effect.target.split(" ")[0] === target.split(" ")[0];
  const parent = target.slice(0, Math.max(target.lastIndexOf("/"), target.lastIndexOf("\\")) + 1);
  return effect.target.startsWith(parent);
}

function toDay(at: number | null): string {
  return at === null ? "an unknown day" : `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
