import { formatBytes } from "../../base/index.ts";
import type { Deadline } from "./deadline.ts";
import { badAnswer } from "./faults.ts";
import { limits } from "./limits.ts";
import type { Link } from "./link.ts";

export interface Listed {
  readonly items: readonly unknown[];
  /** Why the list is not all that the server would say; undefined if it is. */
  readonly cut: string | undefined;
}

/** The tools of a server, page by page: one without an end is left at the limit, with what it gave until then. */
export async function listAll(link: Link, server: string, deadline: Deadline): Promise<Listed> {
  const items: unknown[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 0; page < limits.pages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await link.request({ method: "tools/list", params, deadline });
    const part = result["tools"];
    if (!Array.isArray(part)) throw badAnswer(server, `its answer to "tools/list" has no list "tools"`);
    bytes += JSON.stringify(part).length;
    items.push(...part.slice(0, limits.tools - items.length));
    const next = result["nextCursor"];
    if (typeof next !== "string") return { items, cut: undefined };
    if (items.length >= limits.tools) return { items, cut: `it has more than ${limits.tools} tools` };
    if (bytes > limits.listBytes) return { items, cut: `its list is over ${formatBytes(limits.listBytes)}` };
    if (seen.has(next)) return { items, cut: "its list runs in a circle" };
    seen.add(next);
    cursor = next;
  }
  return { items, cut: `its list has more than ${limits.pages} pages` };
}
