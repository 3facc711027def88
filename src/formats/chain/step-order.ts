import { nearestNames } from "../../base/index.ts";
import { ToolError, type ToolView } from "../../kernel/index.ts";
import type { Chain, ChainStep } from "./chain.ts";
import { findSources, inputName } from "./references.ts";

const idPattern = /^[A-Za-z0-9_-]{1,64}$/;
/** The most steps of one chain: nobody could look through more. */
export const mostSteps = 50;

/** The ids of the steps that each one waits for. */
export type Waits = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * What each step waits for: the steps it refers to, those it names in `after`, and those whose tools its own tool
 * depends on.
 *
 * @throws {ToolError} TOOL_INVALID for steps that are no chain: a name twice, one that is not there, a circle.
 */
export function checkChain(
  { name: chain, steps, result }: Chain,
  dependsOn: (tool: string) => readonly string[] = () => [],
): Waits {
  const ids = new Set<string>();
  for (const { id } of steps) {
    if (!idPattern.test(id) || id === inputName)
      throw invalid(
        chain,
        `"${id}" can't name a step: take 1 to 64 letters, digits, "_" or "-", other than "${inputName}"`,
      );
    if (ids.has(id)) throw invalid(chain, `two steps are named "${id}"; name each differently`);
    ids.add(id);
  }
  if (ids.size === 0) throw invalid(chain, "it has no steps; name one call at least");
  if (ids.size > mostSteps) throw invalid(chain, `it has ${ids.size} steps, and ${mostSteps} are the most`);
  const waits = new Map<string, Set<string>>();
  for (const step of steps) {
    const known = new Set([...findSources(step.arguments), ...(step.after ?? [])]);
    known.delete(inputName);
    for (const id of known) if (!ids.has(id)) throw invalid(chain, unknownStep(`step "${step.id}"`, id, ids));
    waits.set(step.id, known);
  }
  for (const id of findSources(result))
    if (id !== inputName && !ids.has(id)) throw invalid(chain, unknownStep("its result", id, ids));
  addDependencies(steps, waits, dependsOn);
  const circle = circleIn(waits);
  if (circle !== undefined) throw invalid(chain, `its steps wait for each other: ${circle.join(" -> ")}`);
  return waits;
}

/** What a tool of the caller's depends on. */
export function dependenciesIn(toolset: ToolView): (tool: string) => readonly string[] {
  return (name) => toolset.of(name).tool?.dependsOn ?? [];
}

function addDependencies(
  steps: readonly ChainStep[],
  waits: ReadonlyMap<string, Set<string>>,
  dependsOn: (tool: string) => readonly string[],
): void {
  for (const { id, tool } of steps) {
    const needed = dependsOn(tool);
    for (const other of steps)
      if (other.id !== id && needed.includes(other.tool)) waits.get(id)?.add(other.id);
  }
}

/** The ids along one circle, the first again at the end. */
function circleIn(waits: Waits): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (done.has(id)) return undefined;
    for (const before of waits.get(id) ?? []) {
      const circle = visit(before, [...path, id]);
      if (circle !== undefined) return circle;
    }
    done.add(id);
    return undefined;
  };
  for (const id of waits.keys()) {
    const circle = visit(id, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

function unknownStep(who: string, named: string, ids: ReadonlySet<string>): string {
  const names = [inputName, ...ids];
  const nearest = nearestNames(named, names).map((name) => `"${name}"`);
  const hint =
    nearest.length > 0 ? `; did you mean ${nearest.join(" or ")}` : `; there are ${names.join(", ")}`;
  return `${who} takes something from "${named}", which is no step${hint}`;
}

function invalid(chain: string, why: string): ToolError {
  return new ToolError(chain, "TOOL_INVALID", `Cannot make a chain of "${chain}": ${why}`);
}
