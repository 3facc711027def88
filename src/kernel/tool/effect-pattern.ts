import type { EffectPattern } from "../policy/approval.ts";
import { type Effect, effectVerbs } from "./effect.ts";

/**
 * Says whether a grant of this pattern covers the effect. It never covers an effect that is opaque or has a known risk:
 * only an answer to exactly that call does. Aliases do not count.
 *
 * @example
 * ```ts
 * const inProject = { kind: "write", target: "/home/ada/shop", reach: "below" } as const;
 * coversEffect(inProject, { kind: "write", target: "/home/ada/shop/notes.txt", within: true }); // → true
 * coversEffect(inProject, { kind: "write", target: "/home/ada/shopping.txt", within: true }); // → false
 * ```
 */
export function coversEffect(pattern: EffectPattern, effect: Effect): boolean {
  if (effect.kind !== pattern.kind || effect.opaque === true || effect.risk !== undefined) return false;
  if (pattern.confined === true && effect.confined !== true) return false;
  if (pattern.reach === "project") return effect.project === true && effect.confined === true;
  return reaches(pattern, effect.target);
}

/** Whether the target is one of those that the pattern stands for. */
export function reaches({ target: own, reach }: EffectPattern, target: string): boolean {
  switch (reach) {
    case "same":
      return target === own;
    case "arguments":
      return target === own || target.startsWith(`${own} `);
    case "project": // Not by its target.
      return false;
    case "below":
      return (target === own || target.startsWith(own + findSeparator(own))) && !leadsUp.test(target);
    default:
      return reach satisfies never;
  }
}

/** Effects name canonical paths. One that is not could leave the folder again. */
const leadsUp = /(^|[/\\])\.\.?([/\\]|$)/;

export function findSeparator(path: string): "/" | "\\" {
  return path.startsWith("/") ? "/" : "\\";
}

const secrets = "files that may hold secrets";

/**
 * Describes a pattern in words for people: ``run `npm test` with any arguments, in the sandbox``. What it
 * quotes is as it stands.
 *
 * @example
 * ```ts
 * describePattern({ kind: "run", target: "npm test", reach: "arguments" }); // → "run `npm test` with any arguments"
 * ```
 */
export function describePattern({ kind, target, reach, confined }: EffectPattern): string {
  const where = confined === true ? ", in the sandbox" : "";
  switch (reach) {
    case "same":
      if (kind === "connect") return `connect to ${target}, whatever is sent`;
      if (kind === "write" && target.startsWith("memory:")) return `change ${target}, whatever the change is`;
      return `${effectVerbs[kind]} ${kind === "run" ? `\`${target}\`` : target}${where}`;
    case "arguments":
      return `${effectVerbs[kind]} \`${target}\` with any arguments${where}`;
    case "project":
      return "run this project's own programs in the sandbox (no network, only this folder, can be undone)";
    case "below":
      return `${effectVerbs[kind]} anything in ${target}${findSeparator(target)}, except ${kind === "write" ? `${secrets} and what programs run by themselves` : secrets}`;
    default:
      return reach satisfies never;
  }
}
