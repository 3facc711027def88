import type { ChatMessage } from "../../model/index.ts";
import type { Entry } from "../../modules/sessions/index.ts";
import { changesView, GrowingSize } from "../compaction/size.ts";
import { findWholeFrom, GrowingView } from "./view.ts";

/**
 * The entries of a session that a model is shown, with their messages and their size. Both grow with the entries, so a
 * step costs the same in a long session as in a short one. A pruning or a summary computes them anew.
 */
export class ShownEntries {
  #entries: Entry[];
  #grown: Grown | undefined;

  /** @param entries As they are shown: a summary comes before what it kept. */
  constructor(entries: readonly Entry[]) {
    this.#entries = [...entries];
  }

  /** The entries in order: a summary comes before what it kept. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** The entries as messages, as `viewEntries` gives them. */
  get messages(): readonly ChatMessage[] {
    return this.#grow().view.messages();
  }

  /** About how many tokens the next request has, if instructions and tools have so many. */
  measure(prefixTokens: number): number {
    return this.#grow().size.withPrefix(prefixTokens);
  }

  /** Adds entries that were written. A new summary comes first, and the entries that it replaces are left out. */
  add(written: readonly Entry[]): void {
    if (!written.some(changesView)) return void this.#entries.push(...written);
    this.#grown = undefined;
    const summary = written.findLast((entry) => entry.kind === "summary");
    if (summary === undefined) this.#entries.push(...written);
    else
      this.#entries = [
        summary,
        ...[...this.#entries, ...written].filter(
          (entry) => entry.kind !== "summary" && entry.seq >= summary.keptFrom,
        ),
      ];
  }

  #grow(): Grown {
    const entries = this.#entries;
    this.#grown ??= {
      view: new GrowingView(findWholeFrom(entries)),
      size: new GrowingSize(entries),
      count: 0,
    };
    const grown = this.#grown;
    for (; grown.count < entries.length; grown.count++) {
      const entry = entries[grown.count] as Entry;
      grown.view.add(entry);
      grown.size.add(entry);
    }
    return grown;
  }
}

interface Grown {
  readonly view: GrowingView;
  readonly size: GrowingSize;
  /** How many of the entries were added. */
  count: number;
}
