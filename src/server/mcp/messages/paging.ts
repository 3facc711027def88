import type { Params } from "./message.ts";
import { invalidParams } from "./rpc-error.ts";

/** One page of a list, and the cursor of the next one if there is more. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/** The position at which a request wants to start: 0 without a cursor. `version` names the list; a cursor of another list is refused. */
export function readStart({ cursor }: Params, version: string | number): number {
  if (cursor === undefined) return 0;
  const [listed, start] =
    typeof cursor === "string" ? Buffer.from(cursor, "base64url").toString().split(" ") : [];
  if (listed !== String(version) || start === undefined || !/^\d{1,9}$/.test(start)) {
    throw invalidParams(
      "Cannot continue the list: the cursor is unknown, or the list has changed; list again without one",
    );
  }
  return Number(start);
}

export function toCursor(version: string | number, start: number): string {
  return Buffer.from(`${version} ${start}`).toString("base64url");
}

/** The page that `params` asks for, out of a list that is at hand. */
export function cutPage<Item>(all: readonly Item[], params: Params, size: number): Page<Item> {
  const start = readStart(params, "list");
  const end = start + size;
  const items = all.slice(start, end);
  return end < all.length ? { items, nextCursor: toCursor("list", end) } : { items };
}
