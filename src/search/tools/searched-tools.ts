import type { ToolInfo } from "../../kernel/index.ts";
import { getCalledPackName, getPackName } from "../../kernel/index.ts";
import { noPack } from "./tool-text.ts";

/** The tools that one caller may find, by slot and by pack. Made once for each list of tools. */
export interface SearchedTools {
  readonly slots: Uint32Array;
  /** The slots of each pack, by its name, in the order of the names. */
  readonly packs: ReadonlyMap<string, readonly number[]>;
  /** The number of each slot's pack, from 0; -1 for a tool that is in no pack, and for one that is not searched. */
  readonly packAt: Int32Array;
  /** How many tools each pack has, by its number. */
  readonly packSizes: readonly number[];
}

/** Groups tools by their packs. @param slotCount one more than the highest slot */
export function groupTools(
  found: readonly { readonly slot: number; readonly tool: ToolInfo }[],
  slotCount: number,
): SearchedTools {
  const packs = new Map<string, number[]>();
  const numbers = new Map<string, number>();
  const packSizes: number[] = [];
  const packAt = new Int32Array(slotCount).fill(-1);
  for (const { slot, tool } of found) {
    const name = getPackName(tool);
    const own = packs.get(name);
    if (own === undefined) packs.set(name, [slot]);
    else own.push(slot);
    if (getCalledPackName(tool) === noPack) continue;
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    packSizes[number] = (packSizes[number] ?? 0) + 1;
    packAt[slot] = number;
  }
  const sorted = new Map([...packs].sort(([one], [two]) => (one < two ? -1 : 1)));
  return { slots: Uint32Array.from(found, ({ slot }) => slot), packs: sorted, packAt, packSizes };
}
