import { headOf } from "../../../base/index.ts";
import type { MemoryEntry, MemoryHit, MemoryHits } from "../../../store/index.ts";
import { memoryContent, showEntry } from "../memory-content.ts";

/** Twenty of them stay within the usual limit of an output; what is longer can be read by itself. */
const excerptChars = 1000;
const neighbourChars = 200;

/** The hits as data, the best first, with what there is to say of the search. */
export function showHits({ hits, total, by, time, note }: MemoryHits): unknown {
  const data = {
    results: hits.map(showHit),
    total,
    by,
    ...(time !== undefined && {
      time: {
        phrase: time.phrase,
        from: new Date(time.since).toISOString(),
        to: new Date(time.until).toISOString(),
      },
    }),
    ...(note !== undefined && { note }),
  };
  const shown = hits.flatMap(({ entry, before, after }) => [entry, ...before, ...after]);
  return memoryContent(data, shown);
}

function showHit({ entry, score, match, before, after }: MemoryHit) {
  const { kind, title, at } = entry;
  return {
    ...showEntry(entry),
    kind,
    ...(title !== undefined && { title }),
    ...showText(entry, excerptChars),
    at: new Date(at).toISOString(),
    ...showSpeaker(entry),
    score: Math.round(score * 1000) / 1000,
    match,
    ...(before.length > 0 && { before: before.map(showNeighbour) }),
    ...(after.length > 0 && { after: after.map(showNeighbour) }),
  };
}

function showNeighbour(entry: MemoryEntry) {
  const trust = entry.trust === "untrusted" ? { trust: entry.trust } : {};
  return { ...showSpeaker(entry), ...showText(entry, neighbourChars), ...trust };
}

function showSpeaker({ place }: MemoryEntry) {
  const { speaker, role } = place ?? {};
  return { ...(speaker !== undefined && { speaker }), ...(role !== undefined && { role }) };
}

function showText({ text }: MemoryEntry, most: number) {
  const shown = headOf(text, most);
  return shown.length === text.length ? { text } : { text: shown, more_chars: text.length - shown.length };
}
