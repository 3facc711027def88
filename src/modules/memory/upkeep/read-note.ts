import type { AnswerPart } from "../../../model/index.ts";
import { type Priority, priorities } from "./prompts/priorities.ts";

const mostNames = 20;
const longestName = 100;
/** Nobody remembers what is dated outside of these. */
const firstDay = Date.UTC(1800, 0);
const lastDay = Date.UTC(2300, 0);

/** A note as a model gives it. */
export interface Note {
  readonly content: string;
  readonly priority: Priority;
  /** Unix ms. */
  readonly date: number;
  readonly expires: number | undefined;
  readonly names: readonly string[];
}

export function readNote(part: AnswerPart, longest: number): Note {
  const date = readDay(part.get("date"));
  const end = part.get("expires").optional(readDay);
  return {
    content: part.get("content").line(longest),
    priority: part.get("priority").oneOf(priorities),
    date,
    expires: end !== undefined && end > date ? end : undefined,
    names: readNames(part.get("names")),
  };
}

export function readNames(part: AnswerPart): readonly string[] {
  return part.optionalItems(mostNames, (name) => name.line(longestName));
}

function readDay(part: AnswerPart): number {
  const time = part.date();
  if (time < firstDay || time > lastDay) throw part.fault("is too far away");
  return time;
}

/** Ids as short as can be, which a model copies without a fault: `m1`, `m2`, … */
export function withIds<Thing>(prefix: string, things: readonly Thing[]): ReadonlyMap<string, Thing> {
  return new Map(things.map((thing, index) => [`${prefix}${index + 1}`, thing]));
}

/** What is named by its ids, each once. */
export function readKnown<Thing>(
  part: AnswerPart,
  things: ReadonlyMap<string, Thing>,
): readonly [Thing, ...Thing[]] {
  const [first, ...more] = new Set(part.list(things.size).map((id) => id.known(things)));
  if (first === undefined) throw part.fault("names none");
  return [first, ...more];
}
