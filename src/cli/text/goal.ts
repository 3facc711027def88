import type { HaftConfig, SelectedPacks } from "../../app/index.ts";

/** Says in one line which packs a list has for a goal, and how they were chosen. */
export function describeSelection(
  { goal, packs, by, leftOut }: SelectedPacks,
  { tools }: Pick<HaftConfig, "tools">,
): string {
  const about = `for the goal "${goal}"`;
  const over = leftOut === 0 ? "" : `; ${leftOut} more do not fit tools.budget`;
  if (by === "likeness") {
    if (packs.length === 0)
      return `${about} no pack, since ${leftOut === 0 ? "none is near" : "none near fits tools.budget"}`;
    return `${about} the packs nearest in meaning: ${packs.join(", ")}${over}`;
  }
  const why =
    tools?.search?.embedder === "none"
      ? "there is no embedder (tools.search.embedder: none)"
      : "the embedder had no vectors of the tools in time";
  const which =
    leftOut === 0
      ? "all packs, which fit tools.budget"
      : "as many packs as fit tools.budget, those with words of the goal first";
  const named = packs.length === 0 ? "none" : packs.join(", ");
  return `${about} ${which}: ${named}${over}; meanings were not compared, since ${why}`;
}
