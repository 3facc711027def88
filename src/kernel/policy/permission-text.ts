import { showInvisible } from "../../base/index.ts";
import { type Effect, effectVerbs } from "../tool/effect.ts";
import type { Verdict } from "./permissions.ts";

/**
 * Describes effects in one line for people: `change /a/b, run ls -l`. At most three are named, and invisible characters
 * are shown.
 *
 * @example
 * ```ts
 * describeEffects([
 *   { kind: "write", target: "/home/ada/notes.txt", within: true },
 *   { kind: "run", target: "ls -l", within: true },
 * ]); // → "change /home/ada/notes.txt, run ls -l"
 * ```
 */
export function describeEffects(effects: readonly Effect[]): string {
  if (effects.length === 0) return "run";
  const shown = effects
    .slice(0, 3)
    .map(({ kind, target }) => `${effectVerbs[kind]} ${showInvisible(target)}`);
  const more = effects.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

export function because({ rule, undeclared }: Verdict): string {
  const why = rule?.reason ?? (undeclared ? howToDeclare : undefined);
  return why === undefined ? "" : ` (${why})`;
}

const howToDeclare =
  "the tool declares no annotations, so it is taken to change things outside; if it only computes, its author adds annotations: { readOnly: true, openWorld: false }";

/** Why a person is asked, one phrase each. */
export function listReasons({ rule, effects, undeclared }: Verdict): string[] {
  const why = rule?.reason ?? (rule === undefined ? "no rule allows it" : "a rule says to ask");
  return [
    why,
    ...(undeclared ? [howToDeclare] : []),
    ...firstFew(effects, ({ unclear, asks }) => unclear ?? asks),
    ...listRisks(effects),
  ];
}

export function listRisks(effects: readonly Effect[]): string[] {
  return firstFew(effects, ({ risk }) => risk);
}

/** More than a person reads before an answer would hide what matters. */
const most = 5;

function firstFew(effects: readonly Effect[], saying: (effect: Effect) => string | undefined): string[] {
  const said = new Set<string>();
  for (const effect of effects) {
    const words = saying(effect);
    if (words !== undefined) said.add(words);
  }
  return Array.from(said).slice(0, most);
}
