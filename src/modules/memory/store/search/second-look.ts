import type { Kysely } from "kysely";
import { prepared } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";
import { countEntries } from "./count-entries.ts";
import type { Found } from "./fuse.ts";
import { readTexts } from "./read-texts.ts";
import type { Place } from "./word-scores.ts";
import { foldCase, splitQuery, splitWords } from "./words.ts";

/** So many of the best turns say what else is to be looked for. */
const firstTurns = 5;
/** A word that more entries have says nothing of what a turn is about. */
const mostHaving = 20;
const mostWords = 64;
/**
 * The weight of a turn that says what the first ones say; all of it where it says as much as three of them.
 */
const echoWeight = 0.1;
const fullEcho = 3;
/** The weight of a session that has more of what was found: its three best turns tell. */
const sessionWeight = 0.05;
const sessionTurns = 3;
/** The weight of the query's words as they are written: the index knows their stems alone. */
const formWeight = 0.05;
const mostReread = 20;

interface SecondLook {
  readonly scopeId: number;
  readonly query: string;
  readonly findPlace: (seq: number) => Place | undefined;
  /** Texts that were read before, by row number; added to. */
  readonly texts: Map<number, string>;
}

/**
 * Weighs once more what was found. Of turns of conversations: one that shares rare words with the best of them is
 * likely about the same, though it has few words of the query; the best one stays the best. Of other entries: one that
 * has a word as it was asked for is nearer than one with another form of it.
 */
export async function lookAgain(
  db: Kysely<Tables>,
  found: readonly Found[],
  { scopeId, query, findPlace, texts: known }: SecondLook,
): Promise<readonly Found[]> {
  // The newer of two that are as good comes first.
  const sorted = found.toSorted((one, other) => other.score - one.score || other.seq - one.seq);
  const isTurn = ({ seq }: Found) => typeof findPlace(seq)?.session === "string";
  const turns = sorted.filter(isTurn);
  const others = turns.length === 0 ? sorted : sorted.filter((one) => !isTurn(one));
  const first = turns.length > 1 ? turns.slice(0, firstTurns) : [];
  const reread = others.length > 1 ? others.slice(0, mostReread) : [];
  if (first.length + reread.length === 0) return found;
  const texts = await readTexts(
    db,
    [...first, ...reread].map(({ seq }) => seq),
    known,
  );
  const more = new Map(scoreForms(query, reread, texts));
  if (first.length > 0) {
    const echoes = await findEchoes(db, { scopeId, query, first, texts });
    const sessions = scoreSessions(turns, findPlace);
    const best = Math.max(...sessions.values());
    for (const turn of turns) {
      const session = sessions.get(findPlace(turn.seq)?.session ?? "") ?? 0;
      const isBest = turn === turns[0];
      const echo = isBest ? 1 : (echoes.get(turn.seq) ?? 0);
      more.set(turn.seq, echoWeight * echo + sessionWeight * (isBest || best === 0 ? 1 : session / best));
    }
  }
  const all = { turns: 1 + echoWeight + sessionWeight, others: 1 + formWeight };
  const rest = others.slice(reread.length);
  return [
    ...turns.map((one) => ({ ...one, score: (one.score + (more.get(one.seq) ?? 0)) / all.turns })),
    ...reread.map((one) => ({ ...one, score: (one.score + (more.get(one.seq) ?? 0)) / all.others })),
    ...rest.map((one) => ({ ...one, score: one.score / all.others })),
  ];
}

/** The echoes, with how much of what the first turns say they have, 0 to 1, by row number. */
async function findEchoes(
  db: Kysely<Tables>,
  {
    scopeId,
    query,
    first,
    texts,
  }: {
    readonly scopeId: number;
    readonly query: string;
    readonly first: readonly Found[];
    readonly texts: ReadonlyMap<number, string>;
  },
): Promise<ReadonlyMap<number, number>> {
  const asked = new Set(splitQuery(query));
  const said = new Map<string, Found[]>();
  for (const turn of first) {
    for (const word of new Set(splitWords(texts.get(turn.seq) ?? ""))) {
      if (asked.has(word)) continue;
      const sayers = said.get(word);
      if (sayers === undefined) said.set(word, [turn]);
      else sayers.push(turn);
    }
  }
  const words = await listRare(db, scopeId, [...said.keys()].slice(0, mostWords));
  if (words.length === 0) return new Map();
  const rows = await readHaving(db, words.length, [scopeId, ...words]);
  const echoes = new Map<number, number>();
  for (const { word, seq } of rows) {
    for (const turn of said.get(word) ?? []) {
      if (turn.seq !== seq) echoes.set(seq, (echoes.get(seq) ?? 0) + turn.score);
    }
  }
  return new Map([...echoes].map(([seq, amount]) => [seq, Math.min(1, amount / fullEcho)]));
}

/** Those that few entries have, filled up to few sizes with words that none has. */
async function listRare(
  db: Kysely<Tables>,
  scopeId: number,
  words: readonly string[],
): Promise<readonly string[]> {
  const counts = await countEntries(db, scopeId, { words, most: mostHaving + 1 });
  const rare = [...counts].flatMap(([word, count]) => (count <= mostHaving ? [word] : []));
  while (rare.length % 8 > 0) rare.push("");
  return rare;
}

const readHaving = prepared((db: Kysely<Tables>, size) =>
  db
    .selectFrom("memory_word")
    .select(["word", "entry_seq as seq"])
    .where("scope_id", "=", 0)
    .where(
      "word",
      "in",
      Array.from({ length: size }, () => ""),
    ),
);

function scoreSessions(
  turns: readonly Found[],
  findPlace: SecondLook["findPlace"],
): ReadonlyMap<string, number> {
  const sessions = new Map<string, { turns: number; score: number }>();
  for (const { seq, score } of turns) {
    const session = findPlace(seq)?.session ?? "";
    const kept = sessions.get(session) ?? { turns: 0, score: 0 };
    if (kept.turns < sessionTurns)
      sessions.set(session, { turns: kept.turns + 1, score: kept.score + score });
  }
  return new Map([...sessions].map(([session, { score }]) => [session, score]));
}

function scoreForms(
  query: string,
  found: readonly Found[],
  texts: ReadonlyMap<number, string>,
): readonly [number, number][] {
  const asked = [...formsIn(query)].filter((form) => splitWords(form).length > 0);
  if (asked.length === 0) return [];
  const counts = found.map(({ seq }) => {
    const text = foldCase(texts.get(seq) ?? "");
    return asked.filter((form) => saysForm(text, form)).length;
  });
  const most = Math.max(...counts);
  return found.map(({ seq }, at) => [seq, formWeight * (most === 0 ? 1 : (counts[at] ?? 0) / most)]);
}

function formsIn(text: string): ReadonlySet<string> {
  return new Set(foldCase(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
}

/** Whether the folded text has the form as a word of its own. */
function saysForm(text: string, form: string): boolean {
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    if (!isOfWord(text, at - 1) && !isOfWord(text, at + form.length)) return true;
  }
  return false;
}

function isOfWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  // A letter past the first plane is of two units.
  return /[\p{L}\p{M}\p{N}\p{Cs}]/u.test(text[at] ?? "");
}
