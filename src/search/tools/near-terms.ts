import { type EmbedWords, type NearWord, NearWords } from "../words/near-words.ts";
import type { ToolDocuments } from "./tool-documents.ts";
import { splitTerms } from "./words.ts";

/** The terms of tools that mean about the same as those of a message. */
export class NearTerms {
  readonly #documents: Pick<ToolDocuments, "unlearnt" | "version">;
  readonly #near: NearWords;
  #version = -1;

  constructor(documents: Pick<ToolDocuments, "unlearnt" | "version">, embed: EmbedWords) {
    this.#documents = documents;
    this.#near = new NearWords({ embed, split: splitTerms });
  }

  /** The near terms, grouped by the term of the message; none where words have no vectors. @param terms those of the message */
  async find(message: string, terms: readonly string[]): Promise<ReadonlyMap<string, readonly NearWord[]>> {
    const { unlearnt, version } = this.#documents;
    if (version !== this.#version && (await this.#near.add(() => unlearnt.words.terms)))
      this.#version = version;
    return Map.groupBy(await this.#near.find(message, new Set(terms)), ({ of }) => of);
  }
}
