import type { AvailabilityCode } from "../availability.ts";
import type { ToolView } from "../tool-view.ts";

/**
 * How a caller comes by those of these tools that it may have and is not shown, as half a sentence for the end of a
 * refusal. Undefined where none of them is hidden from it, or it has no tool that leads to them.
 */
export function howToLoad(names: readonly string[], toolset: ToolView): string | undefined {
  const [first, ...more] = names.filter((name) => isHidden(name, toolset));
  if (first === undefined) return undefined;
  if (toolset.of("load_tools").shown.is) {
    const tool = more.length === 0 ? first : [first, ...more];
    return `load ${more.length === 0 ? "it" : "them"} with load_tools ${JSON.stringify({ tool })}`;
  }
  if (!toolset.of("call_tool").shown.is || !toolset.of(first).callable.is) return undefined;
  return `call ${more.length === 0 ? "it" : "one"} with call_tool {"name": ${JSON.stringify(first)}, "arguments": {…}}`;
}

const hides: ReadonlySet<AvailabilityCode> = new Set(["HIDDEN", "HIDDEN_NOT_CALLABLE"]);

/** Nothing else is in the way of its being shown. */
function isHidden(name: string, toolset: ToolView): boolean {
  const { shown } = toolset.of(name);
  return !shown.is && shown.reasons.every(({ code }) => hides.has(code));
}
