import { cutHead } from "../../base/index.ts";
import type { PackInfo, ToolInfo } from "../../kernel/index.ts";
import { getPackName } from "../../kernel/index.ts";
import { LexicalIndex, ordinaryWeight } from "../tools/lexical-index.ts";
import { splitTerms } from "../tools/words.ts";

/** The weights of the name, and of all else. */
const weights = [2 * ordinaryWeight, ordinaryWeight];
const longestDescription = 300;
const longestText = 60_000;

/** Packs by the words of their tools. A pack is indexed anew when it is asked for after one of its tools changed. */
export class PackIndex {
  readonly #words = new LexicalIndex(weights);
  readonly #slots = new Map<string, number>();
  readonly #changed = new Set<string>();

  /** Something of this pack is not as it was. */
  changed(pack: string): void {
    this.#changed.add(pack);
  }

  /** The score of each pack, by its name. */
  scores(
    terms: readonly string[],
    tools: readonly ToolInfo[],
    describe: (pack: string) => PackInfo | undefined,
  ): Pick<ReadonlyMap<string, number>, "get"> {
    this.#refresh(tools, describe);
    const scores = this.#words.scores(terms);
    return { get: (name) => scores[this.#slots.get(name) ?? -1] };
  }

  #refresh(tools: readonly ToolInfo[], describe: (pack: string) => PackInfo | undefined): void {
    if (this.#changed.size === 0) return;
    const grouped = Map.groupBy(
      tools.filter((tool) => this.#changed.has(getPackName(tool))),
      getPackName,
    );
    for (const name of this.#changed) {
      const slot = this.#slots.get(name) ?? this.#slots.size;
      this.#slots.set(name, slot);
      const ofPack = grouped.get(name);
      if (ofPack === undefined) this.#words.remove(slot);
      else this.#words.put(slot, [splitTerms(name), splitTerms(formatText(ofPack, describe(name)))]);
    }
    this.#changed.clear();
  }
}

function formatText(tools: readonly ToolInfo[], pack: PackInfo | undefined): string {
  const lines = tools.map(({ name, description }) => `${name} ${cutHead(description, longestDescription)}`);
  return cutHead([pack?.description ?? "", ...lines].join("\n"), longestText);
}
