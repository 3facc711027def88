import { oneLine } from "../../../../base/index.ts";
import type { Redact } from "../../../../kernel/index.ts";
import { entryLimits } from "../entry-limits.ts";
import { MemoryError } from "../errors.ts";
import {
  type MemoryAuthor,
  type MemoryFacts,
  type MemoryPlace,
  memoryPermissions,
  memoryTiers,
  type NewMemoryEntry,
} from "../memory-entry.ts";
import type { ChangedFacts, FormerEntry } from "../memory-store.ts";

const maxWords = 100;
const maxAuthorChars = 20_000;

const controlCharacter = /\p{Cc}/u;
/** What ends a line, turns the direction of what follows, or is a letter that nobody sees. */
const misleading = /[\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

interface MemoryPeriod {
  readonly validFrom?: number | null | undefined;
  readonly validTo?: number | null | undefined;
}

/**
 * Checks and cleans what is to be kept: secrets are taken out, lengths are bounded, and characters replaced that not
 * every database keeps.
 *
 * @example
 * ```ts
 * const checks = new EntryChecks((text) => text.replaceAll("s3cr3t", "[redacted]"));
 * checks.text("the key is s3cr3t"); // → "the key is [redacted]"
 * checks.appended("Buy milk.", "Call Bob."); // → "Buy milk.\nCall Bob."
 * ```
 */
export class EntryChecks {
  readonly #redact: Redact | undefined;

  constructor(redact: Redact | undefined) {
    this.#redact = redact;
  }

  /** Throws a MemoryError for what can't be kept. */
  entry(entry: NewMemoryEntry): NewMemoryEntry {
    if (!isWord(entry.kind, 50)) throw invalid("kind", "it has 1 to 50 characters on one line");
    checkTime("at", entry.at);
    return {
      ...entry,
      ...this.facts(entry),
      text: this.text(entry.text),
      ...(entry.place !== undefined && { place: this.#place(entry.place) }),
    };
  }

  /** What an entry was elsewhere. */
  former({ id, createdAt, changedAt, deletedAt }: FormerEntry): void {
    checkTime("was.createdAt", createdAt);
    checkTime("was.changedAt", changedAt);
    checkTime("was.deletedAt", deletedAt);
    if (id !== undefined && !/^\w{1,60}$/u.test(id))
      throw invalid("was.id", "it has 1 to 60 letters, digits and _");
  }

  /** What is longer than allowed only once it is clean is refused too: it was to be kept whole. */
  text(text: string): string {
    return this.length(this.clean(text));
  }

  /** The same text. @throws {MemoryError} MEMORY_TOO_LONG */
  length(text: string): string {
    if (text.length > entryLimits.text) throw tooLong(text.length);
    return text;
  }

  /** `before` with `text` on a line of its own. */
  appended(before: string, text: string): string {
    const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
    return this.length(start + this.text(text));
  }

  /** @param before of the entry that they change */
  facts<Facts extends MemoryFacts | ChangedFacts>(facts: Facts, before?: MemoryPeriod): Facts {
    if (typeof facts.label === "string") this.#label(facts.label);
    if (facts.tier) checkKnown("tier", facts.tier, memoryTiers);
    if (facts.permission) checkKnown("permission", facts.permission, memoryPermissions);
    checkTime("validFrom", facts.validFrom);
    checkTime("validTo", facts.validTo);
    if (facts.validFrom !== undefined || facts.validTo !== undefined) checkPeriod({ ...before, ...facts });
    return {
      ...facts,
      ...(typeof facts.title === "string" && { title: this.#line("title", facts.title, entryLimits.title) }),
      ...(typeof facts.category === "string" && {
        category: this.#line("category", facts.category, entryLimits.word),
      }),
      ...(facts.names && { names: this.#words("names", facts.names) }),
      ...(facts.tags && { tags: this.#words("tags", facts.tags) }),
    };
  }

  /** Takes secrets out, and characters that no database keeps. */
  clean(text: string): string {
    const kept = this.#redact?.(text) ?? text;
    return isStorable(kept) ? kept : kept.toWellFormed().replaceAll("\0", "\u2400");
  }

  #label(label: string): void {
    if (!isWord(label, entryLimits.label) || misleading.test(label))
      throw new MemoryError(
        "MEMORY_LABEL",
        `Cannot use the label ${shown(label)}: it needs 1 to ${entryLimits.label} characters on one line; choose another`,
      );
    if (this.clean(label) !== label)
      throw new MemoryError(
        "MEMORY_LABEL",
        "Cannot use this label: it holds a secret; choose one that everybody may read",
      );
  }

  #place(place: MemoryPlace): MemoryPlace {
    if (place.session === "" || place.session.length > entryLimits.session || !isStorable(place.session))
      throw invalid("place.session", `it has 1 to ${entryLimits.session} characters, no NUL among them`);
    if (place.position !== undefined && !Number.isSafeInteger(place.position))
      throw invalid("place.position", "it is a whole number");
    return {
      ...place,
      ...(place.speaker !== undefined && {
        speaker: this.#line("place.speaker", place.speaker, entryLimits.word),
      }),
      ...(place.role !== undefined && { role: this.#line("place.role", place.role, entryLimits.word) }),
      ...(place.channel !== undefined && {
        channel: this.#line("place.channel", place.channel, entryLimits.word),
      }),
    };
  }

  #line(name: string, text: string, maxChars: number): string {
    const line = oneLine(this.clean(text));
    if (!isWord(line, maxChars)) throw invalid(name, `it has 1 to ${maxChars} characters on one line`);
    return line;
  }

  #words(name: string, words: readonly string[]): readonly string[] {
    if (words.length > maxWords) throw invalid(name, `there may be ${maxWords} of them`);
    return [...new Set(words.map((word) => this.#line(name, word, entryLimits.word)))];
  }
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function isWord(text: string, maxChars: number): boolean {
  return text !== "" && text.length <= maxChars && text.isWellFormed() && !controlCharacter.test(text);
}

function checkTime(name: string, time: number | null | undefined): void {
  if (time !== null && time !== undefined && !Number.isSafeInteger(time))
    throw invalid(name, "it is a time in whole Unix milliseconds");
}

function checkPeriod({ validFrom, validTo }: MemoryPeriod): void {
  if ((validFrom ?? Number.NEGATIVE_INFINITY) > (validTo ?? Number.POSITIVE_INFINITY))
    throw invalid("validTo", "it is not before `validFrom`: what ends before it begins is never so");
}

function checkKnown(name: string, word: string, known: readonly string[]): void {
  if (!known.includes(word)) throw invalid(name, `it is one of ${known.join(", ")}`);
}

/** The author as JSON. */
export function checkedAuthor(author: MemoryAuthor): string {
  const kept = JSON.stringify(author);
  if (kept.length > maxAuthorChars)
    throw invalid("author", `its texts have up to ${maxAuthorChars} characters in all; name fewer sources`);
  return kept;
}

export function invalid(name: string, rule: string): MemoryError {
  return new MemoryError("MEMORY_INVALID", `Cannot use this \`${name}\`: ${rule}`);
}

function tooLong(chars: number): MemoryError {
  return new MemoryError(
    "MEMORY_TOO_LONG",
    `Cannot keep a text of ${chars.toLocaleString("en")} characters: an entry has up to ${entryLimits.text.toLocaleString("en")}; keep it as several, or in a file`,
    { details: { chars, maxChars: entryLimits.text } },
  );
}

function shown(label: string): string {
  return JSON.stringify(label.length > 60 ? `${label.slice(0, 60)}…` : label);
}

export function checkSharedWith(scope: string, owner: string): void {
  if (scope === owner || scope === "")
    throw invalid("with", "an entry is shared with another scope than its own");
}

/** Checks the limit of a page. */
export function checkPageLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw invalid("limit", "it is a whole number from 1 to 1,000");
}
