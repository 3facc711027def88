import { showInvisible } from "../base/index.ts";
import { type Effect, effectVerbs } from "./effect.ts";
import type { Verdict } from "./permissions.ts";

/** `change /a/b, run ls -l`; at most three effects, each with invisible characters shown. */
export function describeEffects(effects: readonly Effect[]): string {
  if (effects.length === 0) return "run";
  const shown = effects
    .slice(0, 3)
    .map(({ kind, target }) => `${effectVerbs[kind]} ${showInvisible(target)}`);
  const more = effects.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

export function because({ rule }: Verdict): string {
  return rule?.reason === undefined ? "" : ` (${rule.reason})`;
}

/** Why a person is asked, one phrase each. */
export function reasonsOf({ rule, effects }: Verdict): string[] {
  const why = rule?.reason ?? (rule === undefined ? "no rule allows it" : "a rule says to ask");
  return [why, ...firstFew(effects, ({ unclear, asks }) => unclear ?? asks), ...risksOf(effects)];
}

export function risksOf(effects: readonly Effect[]): string[] {
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
