import { countTokens } from "../model/index.ts";
import type { Entry } from "../modules/sessions/index.ts";
import { countPrefix } from "./compaction/compact.ts";
import { countShown } from "./compaction/size.ts";
import type { Prefix } from "./loop/journal.ts";
import { ShownEntries } from "./loop/shown-entries.ts";

/** Estimated tokens of the parts of a request. */
export interface ViewSize {
  readonly instructions: number;
  readonly tools: number;
  readonly entries: number;
  /** The next request as a whole: the provider's own count of the last one, and what came since, where it is known. */
  readonly request: number;
}

/** Measures what a model is shown: instructions and tools of the epoch, and entries as they are shown. */
export function measureView(entries: readonly Entry[], prefix: Prefix | undefined): ViewSize {
  const { system = [], tools = [] } = prefix ?? {};
  return {
    instructions: system.reduce((sum, { text }) => sum + countTokens(text), 0),
    tools: tools.length === 0 ? 0 : countTokens(JSON.stringify(tools)),
    entries: countShown(entries),
    request: new ShownEntries(entries).measure(countPrefix(prefix)),
  };
}
