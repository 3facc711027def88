import { RecentMap } from "../../../base/index.ts";
import type { Page } from "./fetch-page.ts";

// Each page has at most 2,000,000 characters.
const maxPages = 8;

/** The pages read last, so that a page is read on from the same text that it was begun with. */
export class PageCache {
  readonly #pages = new RecentMap<string, Page>(maxPages);

  /** What one scope has read is not shown to another. */
  find(scope: string, url: string): Page | undefined {
    return this.#pages.get(toKey(scope, url));
  }

  keep(scope: string, url: string, page: Page): void {
    this.#pages.set(toKey(scope, url), page);
  }
}

function toKey(scope: string, url: string): string {
  return `${scope}\n${url}`;
}
