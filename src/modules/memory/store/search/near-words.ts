import type { Kysely } from "kysely";
import { RecentMap } from "../../../../base/index.ts";
import { prepared } from "../../../../db/index.ts";
import { type EmbedWords, type NearWord, NearWords } from "../../../../search/index.ts";
import type { Tables } from "../tables.ts";
import type { SoughtScope } from "./candidates.ts";
import { isOfGrammar, splitWords } from "./words.ts";

/** A scope with more words, each counted once an entry, is too large to be looked through. */
const mostWords = 200_000;
const mostScopes = 16;
/** The words of a scope are read again once so much of it is new; until then new ones are found by themselves alone. */
const shareOfNew = 1 / 16;

/** The words of scopes that mean about the same as those of a question. */
export class ScopeNearWords {
  readonly #embed: EmbedWords;
  readonly #scopes = new RecentMap<number, { readonly near: NearWords; readonly words: number }>(mostScopes);

  constructor(embed: EmbedWords) {
    this.#embed = embed;
  }

  /** The nearest first; none where words have no vectors. @param known words that are looked for anyway */
  async find(
    db: Kysely<Tables>,
    { id, words }: SoughtScope,
    { query, known }: { readonly query: string; readonly known: ReadonlySet<string> },
  ): Promise<readonly NearWord[]> {
    if (words > mostWords) return [];
    const kept = this.#scopes.get(id);
    const near = kept?.near ?? new NearWords({ embed: this.#embed, split: splitTelling });
    if (kept === undefined || Math.abs(words - kept.words) > kept.words * shareOfNew) {
      const read = async () => (await readWords(db, id)).filter((word) => !isOfGrammar(word));
      if (!(await near.add(read))) return [];
      this.#scopes.set(id, { near, words });
    }
    return near.find(query, known);
  }
}

function splitTelling(text: string): readonly string[] {
  return splitWords(text).filter((word) => !isOfGrammar(word));
}

/** The words that a scope has, each once. */
export async function readWords(db: Kysely<Tables>, scopeId: number): Promise<readonly string[]> {
  return (await selectWords(db, 1, [scopeId])).map(({ word }) => word);
}

const selectWords = prepared((db: Kysely<Tables>) =>
  db.selectFrom("memory_word").select("word").distinct().where("scope_id", "=", 0),
);
