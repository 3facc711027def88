import type { EffectPattern, Grants, Origin } from "../../../kernel/index.ts";

/** `expired`: its time is over. `unused`: nothing used it for too long. `ended`: its session is over, or another took its place. */
export const grantStates = ["standing", "revoked", "expired", "unused", "ended"] as const;

/** One of {@link grantStates}. */
export type GrantState = (typeof grantStates)[number];

/** One remembered answer. */
export interface Grant {
  readonly id: string;
  readonly state: GrantState;
  readonly scope: string;
  readonly agentId: string | undefined;
  /** The user whose calls it is for; undefined: calls of no user. */
  readonly userId: string | undefined;
  readonly toolName: string;
  readonly toolVersion: string;
  /** What it covers; undefined: exactly one call. */
  readonly patterns: readonly EffectPattern[] | undefined;
  /** The working folder that it holds in, of commands; undefined as for `paramsText`, and where the folder makes no difference. */
  readonly folder: string | undefined;
  /** The arguments for people to read; undefined where the store was opened without `redact`, and of patterns. */
  readonly paramsText: string | undefined;
  readonly term: "session" | "time" | "always";
  /** Unix ms; undefined: when its session ends, when it is unused for too long, or when it is revoked. */
  readonly expiresAt: number | undefined;
  /** Who gave it. */
  readonly by: string;
  /** The origin of the call that the answer was for. */
  readonly origin: Origin | undefined;
  /** The project folder of that call. */
  readonly project: string | undefined;
  /** Unix ms. */
  readonly createdAt: number;
  /** Calls that ran because of it. */
  readonly uses: number;
  /** Unix ms. */
  readonly lastUsedAt: number | undefined;
  /** Unix ms; it ends then unless it is used before. Undefined for the yes to a project's own programs. */
  readonly unusedAt: number | undefined;
  /** Unix ms. */
  readonly revokedAt: number | undefined;
  readonly revokedBy: string | undefined;
}

/** Which grants to list. */
export interface GrantQuery {
  /** @default all */
  readonly scope?: string;
  /** Those that cover nothing any more, too. @default false */
  readonly includeEnded?: boolean;
}

/**
 * The grants with what their owner needs. An exact one covers a call only if scope, agent, tool, version, arguments,
 * effects and bounds are the same; the order of an object's keys makes no difference. Arguments that are not plain
 * JSON are never covered so, and `add` throws TypeError for them. One by patterns covers calls of the same scope,
 * agent, tool and version of which it, alone or with others, covers each effect that asks; where it covers commands,
 * only within the same folders. Each `find` that finds counts as a use, unless it peeks.
 */
export interface GrantStore extends Grants {
  /** What nothing used for so long ends; the yes to a project's own programs does not. */
  readonly decayMs: number;
  /** Newest first, at most 1,000. */
  list(query?: GrantQuery): Promise<readonly Grant[]>;
  /** False where there is no such grant, or it covers nothing any more. */
  revoke(id: string, by: string): Promise<boolean>;
  /** Revokes all that stand; resolves with how many. */
  revokeAll(by: string, query?: Pick<GrantQuery, "scope">): Promise<number>;
}
