import { randomBytes } from "node:crypto";
import { type Clock, RecentMap } from "../../../base/index.ts";
import { McpError } from "../../../mcp/index.ts";
import type { Exchange } from "../messages/exchange.ts";
import { type HandleContent, Handles } from "../messages/handle.ts";
import type { Params } from "../messages/message.ts";
import { invalidParams, type RpcError } from "../messages/rpc-error.ts";

/** A call that has been set aside until its client comes back with an answer. */
export interface Parkable {
  /** Throws an RpcError for an answer of the wrong form; nothing has happened then. */
  check(answers: Params): void;
  /** Goes on under a retry, with the answers it brought. */
  resume(exchange: Exchange, answers: Params): void;
  /** The client did not come back in time. */
  expire(): void;
}

/** The client and the call that a parked call belongs to. */
export type ParkedFor = Pick<HandleContent, "owner" | "digest">;

/** Questions of a parked call whose answers mean something without it. */
export type KeptQuestions = Pick<HandleContent, "approvals"> & { readonly expiresAt: number | undefined };

/** What is under a handle: the call, or, where it is gone, the approvals it asked for. `take` uses the handle up. */
export type Found = { readonly take: () => void } & (
  | { readonly call: Parkable; readonly approvals?: undefined }
  | { readonly call?: undefined; readonly approvals: HandleContent["approvals"] }
);

interface Entry {
  readonly call: Parkable;
  readonly owner: string;
  readonly cancelTimer: () => void;
}

export interface ParkedOptions {
  readonly max: number;
  readonly waitMs: number;
  readonly clock: Clock;
  /** Signs the handles. @default random, and the handles end with the program */
  readonly key: string | Uint8Array | undefined;
}

/** Handles that were used are known for this many more; what an approval is for happens once in any case. */
const mostTaken = 10_000;

/**
 * Calls that wait between two requests of a client, each under a handle that goes out as `requestState`. A handle
 * can't be guessed or altered, is good for one retry by whom it was given to, and for the request it was given for.
 */
export class ParkedCalls {
  readonly #options: ParkedOptions;
  readonly #handles: Handles;
  readonly #entries = new Map<string, Entry>();
  readonly #taken = new RecentMap<string, true>(mostTaken);

  constructor(options: ParkedOptions) {
    this.#options = options;
    this.#handles = new Handles(options.key);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @throws {McpError} MCP_BUSY */
  park(call: Parkable, { owner, digest }: ParkedFor, kept: KeptQuestions): string {
    const { max, waitMs, clock } = this.#options;
    if (this.#entries.size >= max) {
      throw new McpError(
        "MCP_BUSY",
        `Cannot ask the client: ${this.#entries.size} calls wait for an answer already; try again when some are answered`,
      );
    }
    const id = randomBytes(18).toString("base64url");
    const cancelTimer = clock.after(waitMs, () => {
      this.#entries.delete(id);
      call.expire();
    });
    this.#entries.set(id, { call, owner, cancelTimer });
    const { approvals, expiresAt = clock.now() + waitMs } = kept;
    return this.#handles.seal({ id, owner, digest, approvals, expiresAt });
  }

  /** @throws {RpcError} invalidParams for a handle that was altered, used, given to somebody else or for another request. */
  find(handle: string, { owner, digest }: ParkedFor): Found {
    const content = this.#handles.open(handle);
    const { id, approvals, expiresAt } = content;
    const entry = this.#entries.get(id);
    const isOver = entry === undefined && (this.#taken.get(id) || expiresAt <= this.#options.clock.now());
    if (isOver || content.owner !== owner) throw usedUp();
    if (content.digest !== digest) {
      throw invalidParams(
        "Cannot go on with the call: its arguments are not those it began with; repeat them unchanged",
      );
    }
    const take = () => {
      this.#entries.delete(id);
      this.#taken.set(id, true);
      entry?.cancelTimer();
    };
    if (entry !== undefined) return { call: entry.call, take };
    if (Object.keys(approvals).length === 0) throw usedUp();
    return { approvals, take };
  }

  /** Gives up every call, or those of one owner. */
  close(owner?: string): void {
    for (const [id, { call, owner: its, cancelTimer }] of this.#entries) {
      if (owner !== undefined && owner !== its) continue;
      this.#entries.delete(id);
      cancelTimer();
      call.expire();
    }
  }
}

function usedUp(): RpcError {
  return invalidParams(
    "Cannot go on with the call: its requestState has expired or was used; make the call again without it",
  );
}
