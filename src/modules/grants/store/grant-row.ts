import type { EffectPattern, GrantKey } from "../../../kernel/index.ts";
import { fromOriginText } from "../../ledger/index.ts";
import type { Grant, GrantState } from "./grants.ts";
import type { ToolGrantRow } from "./tables.ts";

/** What of the present decides whether a grant stands. */
export interface GrantTime {
  /** Unix ms. */
  readonly now: number;
  /** A grant that nothing used for so long ends, unless it is one of {@link lastingPatterns}. */
  readonly decayMs: number;
}

/** The patterns, as they are stored, of the yes to a project's own programs: it lasts until the owner takes it back. */
export const lastingPatterns: string = JSON.stringify([
  { kind: "run", target: "", reach: "project", confined: true } satisfies EffectPattern,
]);

export function toGrant(row: ToolGrantRow, time: GrantTime): Grant {
  return {
    id: row.id,
    state: findGrantState(row, time),
    scope: row.scope,
    agentId: row.agent_id ?? undefined,
    userId: row.user_id ?? undefined,
    toolName: row.tool_name,
    toolVersion: row.tool_version,
    patterns: readPatterns(row),
    folder: row.folder ?? undefined,
    paramsText: row.params_text ?? undefined,
    term: row.term,
    expiresAt: row.expires_at ?? undefined,
    by: row.granted_by,
    origin: fromOriginText(row.origin),
    project: row.project ?? undefined,
    createdAt: row.created_at,
    uses: row.uses,
    lastUsedAt: row.last_used_at ?? undefined,
    unusedAt: endOfDisuse(row, time),
    revokedAt: row.revoked_at ?? undefined,
    revokedBy: row.revoked_by ?? undefined,
  };
}

export function findGrantState(row: ToolGrantRow, { now, decayMs }: GrantTime): GrantState {
  if (row.revoked_at !== null) return "revoked";
  if (row.expires_at !== null && row.expires_at <= now) return "expired";
  const unusedAt = endOfDisuse(row, { decayMs });
  if (unusedAt !== undefined && unusedAt <= now) return "unused";
  return row.ended_at === null ? "standing" : "ended";
}

export function readPatterns({ patterns }: ToolGrantRow): readonly EffectPattern[] | undefined {
  return patterns === null ? undefined : (JSON.parse(patterns) as readonly EffectPattern[]);
}

/** When the grant ends unless it is used before; undefined: disuse does not end it. */
function endOfDisuse(row: ToolGrantRow, { decayMs }: Pick<GrantTime, "decayMs">): number | undefined {
  return row.patterns === lastingPatterns ? undefined : (row.last_used_at ?? row.created_at) + decayMs;
}

/** Names the owner of a session grant: a session of one program, or that program's life, which is a session too. */
export function formatSession({ session }: Pick<GrantKey, "session">, runId: string): string {
  return session === undefined ? `run:${runId}` : `run:${runId}/${session}`;
}

/** The program whose session it is. */
export function readRun(session: string): string {
  return session.slice("run:".length).split("/", 1)[0] ?? "";
}
