import type { Grants } from "../../kernel/index.ts";

/** One remembered answer. */
export interface Grant {
  readonly id: string;
  readonly scope: string;
  readonly agentId: string | undefined;
  readonly toolName: string;
  readonly toolVersion: string;
  /** The arguments for people to read; undefined where the store was opened without `redact`. */
  readonly paramsText: string | undefined;
  /** Who gave it. */
  readonly by: string;
  /** Unix ms. */
  readonly createdAt: number;
  /** Calls that ran because of it. */
  readonly uses: number;
  /** Unix ms. */
  readonly lastUsedAt: number | undefined;
  /** Unix ms; a revoked grant covers nothing. */
  readonly revokedAt: number | undefined;
  readonly revokedBy: string | undefined;
}

export interface GrantQuery {
  /** @default all */
  readonly scope?: string;
  /** @default false */
  readonly includeRevoked?: boolean;
}

/**
 * The grants with what their owner needs. A grant covers a call only if scope, agent, tool, version and arguments
 * are the same; the order of an object's keys makes no difference. Arguments that are not plain JSON are never
 * covered, and `add` throws TypeError for them. Each `find` that finds counts as a use.
 */
export interface GrantStore extends Grants {
  /** Newest first, at most 1,000. */
  list(query?: GrantQuery): Promise<readonly Grant[]>;
  /** False where there is no such grant, or it is revoked already. */
  revoke(id: string, by: string): Promise<boolean>;
}
