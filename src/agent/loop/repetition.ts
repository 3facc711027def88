import { canonicalJson, parseJson } from "../../base/index.ts";
import type { AnswerEntry, Entry } from "../../modules/sessions/index.ts";
import { listCallParts, type NoteSubject, readText } from "./read-run.ts";

/** The longest block of calls whose repetition is seen. */
const longestBlock = 4;
/** No more repetitions than this are counted. */
const mostRepeats = 5;

/**
 * How often the run has made the same calls in a row by now: the largest number of times that a block of one to four
 * calls stands at the end of its calls. Calls are the same by tool and arguments, whatever they gave; their outputs
 * vary where nothing else does.
 *
 * @param mayRepeat Whether a tool waits or polls, so that equal calls of it do not count.
 */
export function countRepeats(
  entries: readonly Entry[],
  runId: string,
  mayRepeat: (toolName: string) => boolean,
): number {
  const keys = listNewestKeys(entries, runId, mayRepeat);
  let most = 0;
  for (let size = 1; size <= longestBlock; size++) most = Math.max(most, countBlocks(keys, size));
  return most;
}

/** So many equal answers in a row, to messages that differ, are a loop. */
const mostEqualAnswers = 3;

/**
 * Whether the last three answers of the conversation that made no calls are the same, though what was said before each
 * is not, and the model has not been told of it since.
 */
export function isStuck(entries: readonly Entry[]): boolean {
  const texts = new Set<string>();
  const asked = new Set<string>();
  let count = 0;
  let message = "";
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at] as Entry;
    if (entry.kind === "note" && entry.about === ("answers" satisfies NoteSubject)) return false;
    if (entry.kind === "user") message = JSON.stringify(entry.parts);
    if (entry.kind !== "answer") continue;
    if (count > 0) asked.add(message);
    if (count === mostEqualAnswers) break;
    message = "";
    texts.add(readText(entry).trim());
    if (texts.size > 1 || texts.has("") || listCallParts(entry.message.parts).length > 0) return false;
    count++;
  }
  asked.add(message);
  return count === mostEqualAnswers && asked.size > 1 && !asked.has("");
}

/** The calls since somebody last said what to do, the newest first; no more of them than blocks can have. */
function listNewestKeys(
  entries: readonly Entry[],
  runId: string,
  mayRepeat: (toolName: string) => boolean,
): readonly string[] {
  const keys: string[] = [];
  for (let at = entries.length - 1; at >= 0 && keys.length < longestBlock * mostRepeats; at--) {
    const entry = entries[at] as Entry;
    if (isInstruction(entry)) break;
    if (entry.kind === "answer" && entry.runId === runId && entry.stop !== "length")
      keys.push(...listKeys(entry, mayRepeat).toReversed());
  }
  return keys;
}

function isInstruction(entry: Entry): boolean {
  const isResumed = entry.kind === "note" && entry.about === ("resumed" satisfies NoteSubject);
  return isResumed || entry.kind === "user" || entry.kind === "summary";
}

function listKeys({ message }: AnswerEntry, mayRepeat: (toolName: string) => boolean): readonly string[] {
  return listCallParts(message.parts)
    .filter(({ name }) => !mayRepeat(name))
    .map(({ name, input }) => `${name} ${canonicalJson(parseJson(input) ?? input)}`);
}

/** How often the first block of this size stands at the beginning. */
function countBlocks(keys: readonly string[], size: number): number {
  let count = 0;
  while (count < mostRepeats && hasBlock(keys, size, count * size)) count++;
  return count;
}

function hasBlock(keys: readonly string[], size: number, from: number): boolean {
  if (from + size > keys.length) return false;
  for (let at = 0; at < size; at++) if (keys[from + at] !== keys[at]) return false;
  return true;
}
