import type { Queries } from "../writing.ts";
import { firstWords, secondWords } from "./words.ts";

/** Number of word pairs that are tried before a number is added. */
const mostPairs = 4;

/** Makes an id that no task of the scope has or had: two words, and a number if many pairs are taken. */
export async function newTaskId(db: Queries, scope: string, random: () => number): Promise<string> {
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] as string;
  let pair = "";
  for (let tries = 0; tries < mostPairs; tries++) {
    pair = `${pick(firstWords)}-${pick(secondWords)}`;
    if (!(await isTaken(db, scope, pair))) return pair;
  }
  for (let number = 2; ; number++) {
    const id = `${pair}-${number}`;
    if (!(await isTaken(db, scope, id))) return id;
  }
}

/** Deleted tasks keep their ids in the history, so an id never means two tasks. */
async function isTaken(db: Queries, scope: string, id: string): Promise<boolean> {
  const event = await db
    .selectFrom("task_event")
    .select("seq")
    .where("scope", "=", scope)
    .where("task_id", "=", id)
    .limit(1)
    .executeTakeFirst();
  return event !== undefined;
}
