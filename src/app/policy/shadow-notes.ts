import { type Decision, decisions } from "../../kernel/index.ts";
import type { CallRecord } from "../../modules/ledger/index.ts";

/** Calls of one tool that another policy would decide otherwise in the same way. */
export interface ShadowDifference {
  readonly tool: string;
  readonly now: Decision;
  readonly instead: Decision;
  /** The rule that would decide, as JSON, or `default` where none would name the call; of the example. */
  readonly by: string;
  readonly count: number;
  /** The newest of them. */
  readonly example: Pick<CallRecord, "callId" | "paramsText" | "startedAt">;
}

/** Adds up differences, most frequent first. */
export class ShadowTally {
  readonly #differences = new Map<string, ShadowDifference>();

  /** Calls come oldest first. */
  add(call: CallRecord, { now, instead, by }: Pick<ShadowDifference, "now" | "instead" | "by">): void {
    const { toolName: tool, callId, paramsText, startedAt } = call;
    const key = `${tool} ${now} ${instead}`;
    const count = (this.#differences.get(key)?.count ?? 0) + 1;
    this.#differences.set(key, { tool, now, instead, by, count, example: { callId, paramsText, startedAt } });
  }

  get differences(): readonly ShadowDifference[] {
    return Array.from(this.#differences.values()).toSorted((a, b) => b.count - a.count);
  }
}

/** What the gate noted of a call that rules to come would decide otherwise. */
export function writeShadowNote({
  notes,
}: Pick<CallRecord, "notes">): Pick<ShadowDifference, "now" | "instead" | "by"> | undefined {
  for (const note of notes) {
    const [, instead, now, by] = /^shadow: (\w+) instead of (\w+), by (.*)$/s.exec(note) ?? [];
    if (isDecision(instead) && isDecision(now) && by !== undefined) return { now, instead, by };
  }
  return undefined;
}

function isDecision(word: string | undefined): word is Decision {
  return decisions.some((one) => one === word);
}
