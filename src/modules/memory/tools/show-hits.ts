import { withoutUndefined } from "../../../base/index.ts";
import { labelledContent, trustMark } from "../../../kernel/index.ts";
import type { MemoryEntry } from "../store/memory-entry.ts";
import type { MemoryHit, MemoryHits } from "../store/memory-store.ts";
import { cutExcerpt, listEntries, showEntry, showPeriod, showTime } from "./show-entry.ts";

/** Twenty of them stay within the usual limit of an output; what is longer can be read by itself. */
const excerptChars = 1000;
/** The characters of what stands next to a hit. */
export const neighbourChars = 200;

/** The hits as data, the best first, with what there is to say of the search. */
export function showHits({ hits, total, by, time, note }: MemoryHits): unknown {
  const period = time && showPeriod(time);
  const data = withoutUndefined({ results: hits.map(showHit), total, by, time: period, note });
  return labelledContent(data, listEntries({ hits }));
}

function showHit({ entry, score, match, before, after }: MemoryHit) {
  return withoutUndefined({
    ...showEntry(entry),
    kind: entry.kind,
    title: entry.title,
    ...showText(entry, excerptChars),
    at: showTime(entry.at),
    ...showSpeaker(entry),
    score: Math.round(score * 1000) / 1000,
    match,
    before: before.length > 0 ? before.map(showNeighbour) : undefined,
    after: after.length > 0 ? after.map(showNeighbour) : undefined,
  });
}

function showNeighbour(entry: MemoryEntry) {
  return withoutUndefined({ ...showSpeaker(entry), ...showText(entry, neighbourChars), ...trustMark(entry) });
}

function showSpeaker({ place }: MemoryEntry) {
  return { speaker: place?.speaker, role: place?.role };
}

function showText({ text }: MemoryEntry, mostChars: number) {
  const { head, more } = cutExcerpt(text, mostChars);
  return { text: head, more_chars: more };
}
