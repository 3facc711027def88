import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { isRecord, parseJson } from "../../../base/index.ts";
import type { ClientSource } from "../client.ts";
import { invalidParams } from "./rpc-error.ts";

/** The id of an approval and the digest of what was shown, by the name under which the client answers. */
export type AskedApprovals = Readonly<Record<string, { readonly id: string; readonly shown?: string }>>;

/** What a handle says to whoever gave it out. */
export interface HandleContent {
  readonly id: string;
  /** See {@link formatOwner}. */
  readonly owner: string;
  /** The digest of the method and its arguments: a retry must be the same request. */
  readonly digest: string;
  /** Requested approvals, by the names of their questions. */
  readonly approvals: AskedApprovals;
  /** Unix ms. */
  readonly expiresAt: number;
}

/** A longer text is none of ours. */
const mostChars = 20_000;

/** What goes out as `requestState`. Nobody without the key can make or alter one; whoever has it may read it. */
export class Handles {
  readonly #key: string | Uint8Array;

  /** @param key 32 bytes or more. Handles outlive the program where the next one has the same. @default random */
  constructor(key: string | Uint8Array = randomBytes(32)) {
    if (Buffer.byteLength(key) < 32)
      throw new TypeError("Cannot sign handles with this key: it needs 32 bytes or more");
    this.#key = key;
  }

  seal(content: HandleContent): string {
    const body = Buffer.from(JSON.stringify(content)).toString("base64url");
    return `${body}.${this.#sign(body)}`;
  }

  /** @throws {RpcError} invalidParams for what was altered, or made with another key. */
  open(handle: string): HandleContent {
    const [body = "", signature = "", ...rest] = handle.slice(0, mostChars).split(".");
    const given = Buffer.from(signature);
    const expected = Buffer.from(this.#sign(body));
    const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
    const content = isOurs && rest.length === 0 ? parseJson(fromBase64(body)) : undefined;
    if (isRecord(content)) return content as unknown as HandleContent;
    throw invalidParams(
      "Cannot go on with the call: its requestState is not one that this server gave out; repeat it unchanged",
    );
  }

  #sign(body: string): string {
    return createHmac("sha256", this.#key).update(`haft requestState 2:${body}`).digest("base64url");
  }
}

/** The owner of a handle, in a form that tells its reader nothing. */
export function formatOwner({ transport, principal }: Omit<ClientSource, "session">): string {
  return hash("sha256", JSON.stringify([transport, principal]), "base64url");
}

function fromBase64(text: string): string {
  return Buffer.from(text, "base64url").toString();
}
