import { getErrorCode } from "../../base/index.ts";
import { type CallContext, type Foreseen, ToolExecutor } from "../../kernel/index.ts";
import type { CallQuery, CallRecord, LedgerStore } from "../../modules/ledger/index.ts";
import { allCalls } from "../all-calls.ts";
import type { HaftConfig } from "../config/config-types.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { mergeConfigs } from "../config/merge-configs.ts";
import type { App } from "../create-app.ts";
import { exactParams } from "../replay.ts";
import { decideByMode } from "./explain-call.ts";
import { builtInRules } from "./rules-in-force.ts";
import { type ShadowDifference, ShadowTally, writeShadowNote } from "./shadow-notes.ts";

export interface ShadowReport {
  /** Calls that were looked at. */
  readonly calls: number;
  /**
   * The number of calls that can't be judged again: their arguments are not kept whole, or their tool is
   * gone.
   */
  readonly passedOver: number;
  readonly differences: readonly ShadowDifference[];
}

export interface ShadowOptions {
  readonly ledger: Pick<LedgerStore, "list">;
  readonly query: Pick<CallQuery, "since" | "tool">;
  readonly signal: AbortSignal;
  /** How many calls are judged again, the newest first. @default all */
  readonly most?: number;
}

/** What the gate noted while `shadowPermissions` were in force. */
export async function readShadowNotes({ ledger, query, signal }: ShadowOptions): Promise<ShadowReport> {
  const tally = new ShadowTally();
  let calls = 0;
  for await (const page of allCalls(ledger, query, signal)) {
    calls += page.length;
    for (const call of page) {
      const note = writeShadowNote(call);
      if (note !== undefined) tally.add(call, note);
    }
  }
  return { calls, passedOver: 0, differences: tally.differences };
}

/**
 * Judges recorded calls by the rules and the mode in force, and by those that there would be with another file in the
 * place of the project's. Nothing runs.
 */
export async function judgeRecordedCalls(
  app: App,
  file: Pick<HaftConfig, "permissions" | "mode">,
  options: ShadowOptions,
): Promise<ShadowReport> {
  return judgeByFiles(app, { own: app.loaded.own, project: file }, options);
}

/** Judges recorded calls as {@link judgeRecordedCalls} does, with other files in the place of both. */
export async function judgeByFiles(
  app: App,
  { own, project }: Pick<LoadedConfig, "own" | "project">,
  { ledger, query, signal, most = Number.POSITIVE_INFINITY }: ShadowOptions,
): Promise<ShadowReport> {
  const { permissions = [], mode = "ask" } = mergeConfigs(own, project);
  const other = new ToolExecutor(app.registry, { rules: builtInRules(permissions), mode });
  const tally = new ShadowTally();
  let [calls, passedOver] = [0, 0];
  for await (const page of allCalls(ledger, query, signal)) {
    for (const call of page) {
      signal.throwIfAborted();
      if (calls >= most) break;
      calls++;
      const judged = await judgeBoth(call, app, other);
      if (judged === undefined) passedOver++;
      else if (judged.now !== judged.instead) tally.add(call, judged);
    }
    if (calls >= most) break;
  }
  return { calls, passedOver, differences: tally.differences };
}

type Judged = Pick<ShadowDifference, "now" | "instead" | "by">;

async function judgeBoth(call: CallRecord, app: App, other: ToolExecutor): Promise<Judged | undefined> {
  const tool = app.registry.get(call.toolName);
  const params = tool && exactParams(call, tool);
  if (params === undefined) return undefined;
  const context = toContext(call, app.context);
  try {
    const now = await app.executor.foresee(call.toolName, params, context);
    const foreseen = await other.foresee(call.toolName, params, context);
    return { now: decideByMode(now), instead: decideByMode(foreseen), by: formatRule(foreseen) };
  } catch (error) {
    if (getErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

function toContext({ agentId, channel, notes }: CallRecord, bounds: CallContext): CallContext {
  return {
    ...bounds,
    ...(agentId !== undefined && { agentId }),
    ...(channel !== undefined && { origin: { channel } }),
    ...(notes.some((note) => note.startsWith("untrusted: ")) && { trust: "untrusted" as const }),
  };
}

function formatRule({ verdict }: Foreseen): string {
  return verdict.rule === undefined ? "default" : JSON.stringify(verdict.rule);
}
