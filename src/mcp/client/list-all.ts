import { formatBytes, isRecord, maxSchemaDepth, nestsDeeperThan } from "../../base/index.ts";
import type { Deadline } from "./deadline.ts";
import { badAnswer } from "./faults.ts";
import { limits } from "./limits.ts";
import type { Link } from "./link.ts";
import { shownText } from "./tools/shown-schema.ts";

export interface Listed {
  readonly items: readonly unknown[];
  /** Reasons why the list is incomplete, one sentence each. */
  readonly problems: readonly string[];
}

/** The tools of a server, page by page: one without an end is left at the limit, with what it gave until then. */
export async function listAll(link: Link, server: string, deadline: Deadline): Promise<Listed> {
  const items: unknown[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let cursor: string | undefined;
  const cutAt = (why: string): Listed => ({ items, problems: [why, ...problems] });
  for (let page = 0; page < limits.pages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await link.request({ method: "tools/list", params, deadline });
    const part = result["tools"];
    if (!Array.isArray(part)) throw badAnswer(server, `its answer to "tools/list" has no list "tools"`);
    const usable = withoutDeep(part, problems);
    bytes += JSON.stringify(usable).length;
    items.push(...usable.slice(0, limits.tools - items.length));
    const next = result["nextCursor"];
    if (typeof next !== "string") return { items, problems };
    if (items.length >= limits.tools) return cutAt(`it has more than ${limits.tools} tools`);
    if (bytes > limits.listBytes) return cutAt(`its list is over ${formatBytes(limits.listBytes)}`);
    if (seen.has(next)) return cutAt("its list runs in a circle");
    seen.add(next);
    cursor = next;
  }
  return cutAt(`its list has more than ${limits.pages} pages`);
}

const maxProblems = 20;

/** Returns the tools of a page that are not nested too deeply for the code that recurses into definitions. */
function withoutDeep(tools: readonly unknown[], problems: string[]): readonly unknown[] {
  return tools.filter((tool) => {
    // One level is the definition itself.
    if (!nestsDeeperThan(tool, maxSchemaDepth + 1)) return true;
    const name = isRecord(tool) && typeof tool["name"] === "string" ? tool["name"] : "?";
    if (problems.length < maxProblems)
      problems.push(
        `"${shownText(name, 100)}" is put aside: its definition is nested more than ${maxSchemaDepth} levels deep`,
      );
    return false;
  });
}
