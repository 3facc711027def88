import { oneLine } from "../../../base/index.ts";
import { type DomElement, parseDocument } from "../page/dom.ts";

/** One entry of a list of search results. */
export interface FoundPage {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** The results on DuckDuckGo's HTML page, without advertisements. Runs in a worker. */
export async function readDuckDuckGo(html: string): Promise<readonly FoundPage[]> {
  const document = await parseDocument(html);
  return Array.from(document.querySelectorAll(".result:not(.result--ad)")).flatMap((result) => {
    const link = result.querySelector("a.result__a");
    const url = findTarget(link?.getAttribute("href") ?? "");
    if (link === null || url === undefined) return [];
    return [{ title: readText(link), url, snippet: readText(result.querySelector(".result__snippet")) }];
  });
}

/** Links lead through a counter, which has the address in `uddg`. */
function findTarget(href: string): string | undefined {
  const link = URL.parse(href, "https://duckduckgo.com/");
  if (link === null) return undefined;
  const isCounter = link.pathname === "/l/" && link.searchParams.has("uddg");
  const target = isCounter ? URL.parse(link.searchParams.get("uddg") ?? "") : link;
  return target?.protocol === "https:" || target?.protocol === "http:" ? target.href : undefined;
}

function readText(element: DomElement | null): string {
  return oneLine(element?.textContent ?? "");
}
