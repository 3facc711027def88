import { canonicalJson, parseJson } from "../../base/index.ts";
import type { CallPart } from "../../model/index.ts";
import type { Entry } from "../../modules/sessions/index.ts";
import { type NoteSubject, readText } from "./read-run.ts";

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
  const calls = new NewestCalls(entries, runId, mayRepeat);
  let most = 0;
  for (let size = 1; size <= longestBlock; size++) most = Math.max(most, countBlocks(calls, size));
  return most;
}

/** This many equal answers in a row to different messages are a loop. */
const mostEqualAnswers = 3;

/**
 * Whether the last three answers have the same text and no calls, although the messages before them differ. False once
 * the model was told of it.
 */
export function isStuck(entries: readonly Entry[]): boolean {
  let text: string | undefined;
  const asked: string[] = [];
  let count = 0;
  let message = "";
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at] as Entry;
    if (entry.kind === "note" && entry.about === ("answers" satisfies NoteSubject)) return false;
    if (entry.kind === "user") message = JSON.stringify(entry.parts);
    if (entry.kind !== "answer") continue;
    if (count > 0) asked.push(message);
    if (count === mostEqualAnswers) break;
    message = "";
    if (entry.message.parts.some(({ type }) => type === "call")) return false;
    const said = readText(entry).trim();
    text ??= said;
    if (said !== text || said === "") return false;
    count++;
  }
  asked.push(message);
  return count === mostEqualAnswers && asked.some((one) => one !== message) && !asked.includes("");
}

/** The calls since the last instruction, the newest first. Entries are read back only as far as needed. */
class NewestCalls {
  readonly #entries: readonly Entry[];
  readonly #runId: string;
  readonly #mayRepeat: (toolName: string) => boolean;
  readonly #found: CallPart[] = [];
  /** The place of the next entry to read. */
  #next: number;

  constructor(entries: readonly Entry[], runId: string, mayRepeat: (toolName: string) => boolean) {
    this.#entries = entries;
    this.#runId = runId;
    this.#mayRepeat = mayRepeat;
    this.#next = entries.length - 1;
  }

  at(place: number): CallPart | undefined {
    while (place >= this.#found.length && this.#next >= 0) this.#readBack();
    return this.#found[place];
  }

  #readBack(): void {
    const entry = this.#entries[this.#next--] as Entry;
    if (isInstruction(entry)) this.#next = -1;
    if (entry.kind !== "answer" || entry.runId !== this.#runId || entry.stop === "length") return;
    const { parts } = entry.message;
    for (let at = parts.length - 1; at >= 0; at--) {
      const part = parts[at];
      if (part?.type === "call" && !this.#mayRepeat(part.name)) this.#found.push(part);
    }
  }
}

function isInstruction(entry: Entry): boolean {
  const isResumed = entry.kind === "note" && entry.about === ("resumed" satisfies NoteSubject);
  return isResumed || entry.kind === "user" || entry.kind === "summary";
}

/** How often the newest block of this size stands at the end. */
function countBlocks(calls: NewestCalls, size: number): number {
  if (calls.at(size - 1) === undefined) return 0;
  let count = 1;
  while (count < mostRepeats && repeatsBlock(calls, size, count * size)) count++;
  return count;
}

function repeatsBlock(calls: NewestCalls, size: number, from: number): boolean {
  for (let at = 0; at < size; at++) if (!isSame(calls.at(from + at), calls.at(at))) return false;
  return true;
}

function isSame(one: CallPart | undefined, other: CallPart | undefined): boolean {
  if (one === undefined || other === undefined || one.name !== other.name) return false;
  if (one.input === other.input) return true;
  return !differInValue(one.input, other.input) && findKey(one) === findKey(other);
}

/**
 * Whether two texts of JSON first differ within the text that a key has, so that they say different things, however the
 * rest is written. False where only a parser can tell. A key that is given twice counts both times.
 */
export function differInValue(one: string, other: string): boolean {
  let isInString = false;
  let opening = 0;
  let at = 0;
  for (; at < one.length; at++) {
    const char = one.charCodeAt(at);
    if (char !== other.charCodeAt(at)) break;
    if (char === backslash) return false;
    if (char !== quote) continue;
    isInString = !isInString;
    opening = at;
  }
  if (!isInString || one.charCodeAt(at) === backslash || other.charCodeAt(at) === backslash) return false;
  let before = opening - 1;
  while (isSpace(one.charCodeAt(before))) before--;
  return one.charCodeAt(before) === colon;
}

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;

/** Whether JSON may have a character between its words; false for none. */
function isSpace(char: number): boolean {
  return char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;
}

/** The canonical arguments of each call, computed once, since arguments may be long. */
const keys = new WeakMap<CallPart, string>();

function findKey(call: CallPart): string {
  let key = keys.get(call);
  if (key === undefined) keys.set(call, (key = canonicalJson(parseJson(call.input) ?? call.input)));
  return key;
}
