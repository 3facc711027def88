import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../base/index.ts";
import { McpError } from "../errors.ts";
import type { McpClient } from "./client.ts";
import type { Exchange } from "./exchange.ts";
import type { Params } from "./message.ts";
import { invalidParams } from "./rpc-error.ts";

/** A call that has been set aside until its client comes back with an answer. */
export interface Parkable {
  /** Throws an RpcError for an answer of the wrong form; nothing has happened then. */
  check(answers: Params): void;
  /** Goes on under a retry, with the answers it brought. */
  resume(exchange: Exchange, answers: Params): void;
  /** The client did not come back in time. */
  expire(): void;
}

export type Owner = Pick<McpClient, "transport" | "principal">;

/** To whom and to what a parked call belongs. */
export interface ParkedFor {
  readonly owner: Owner;
  /** Of the method and its arguments: a retry must be the same request. */
  readonly digest: string;
}

interface Entry extends ParkedFor {
  readonly call: Parkable;
  readonly cancelTimer: () => void;
}

/**
 * Calls that wait between two requests of a client, each under a handle that goes out as `requestState`. A handle
 * can't be guessed or altered, is good for one retry by whom it was given to, and for the request it was given for.
 */
export class ParkedCalls {
  readonly #max: number;
  readonly #waitMs: number;
  readonly #clock: Clock;
  readonly #key = randomBytes(32);
  readonly #entries = new Map<string, Entry>();

  constructor({
    max,
    waitMs,
    clock,
  }: { readonly max: number; readonly waitMs: number; readonly clock: Clock }) {
    this.#max = max;
    this.#waitMs = waitMs;
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @throws {McpError} MCP_BUSY */
  park(call: Parkable, { owner, digest }: ParkedFor): string {
    if (this.#entries.size >= this.#max) {
      throw new McpError(
        "MCP_BUSY",
        `Cannot ask the client: ${this.#entries.size} calls wait for an answer already; try again when some are answered`,
      );
    }
    const id = randomBytes(18).toString("base64url");
    const cancelTimer = this.#clock.after(this.#waitMs, () => {
      this.#entries.delete(id);
      call.expire();
    });
    this.#entries.set(id, { call, owner, digest, cancelTimer });
    return `${id}.${this.#sign(id)}`;
  }

  /**
   * The call under a handle; `take` is called to go on with it, and after that the handle is worth nothing.
   *
   * @throws {RpcError} invalidParams for a handle that was altered, used, given to somebody else or for another request.
   */
  find(handle: string, { owner, digest }: ParkedFor): { readonly call: Parkable; readonly take: () => void } {
    const id = this.#open(handle);
    const entry = this.#entries.get(id);
    if (entry === undefined || !isSame(entry.owner, owner)) {
      throw invalidParams(
        "Cannot go on with the call: its requestState has expired or was used; make the call again without it",
      );
    }
    if (entry.digest !== digest) {
      throw invalidParams(
        "Cannot go on with the call: its arguments are not those it began with; repeat them unchanged",
      );
    }
    const take = () => {
      this.#entries.delete(id);
      entry.cancelTimer();
    };
    return { call: entry.call, take };
  }

  /** Gives up every call, or those of one owner. */
  close(owner?: Owner): void {
    for (const [id, { call, owner: its, cancelTimer }] of this.#entries) {
      if (owner !== undefined && !isSame(owner, its)) continue;
      this.#entries.delete(id);
      cancelTimer();
      call.expire();
    }
  }

  #open(handle: string): string {
    const [id = "", signature = "", ...rest] = handle.slice(0, 200).split(".");
    const given = Buffer.from(signature);
    const expected = Buffer.from(this.#sign(id));
    if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw invalidParams(
        "Cannot go on with the call: its requestState is not one that this server gave out; repeat it unchanged",
      );
    }
    return id;
  }

  #sign(id: string): string {
    return createHmac("sha256", this.#key).update(id).digest("base64url");
  }
}

function isSame(one: Owner, other: Owner): boolean {
  return one.transport === other.transport && one.principal === other.principal;
}
