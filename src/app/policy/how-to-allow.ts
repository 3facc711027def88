import { join } from "node:path";
import type { Effect, HowToAllow } from "../../kernel/index.ts";
import { configFileName } from "../config/load-config.ts";

/** The narrowest rule, as YAML, that allows an effect of a tool; undefined where no rule can without allowing far more. */
export function narrowestRule(toolName: string, effect: Effect | undefined): string | undefined {
  if (effect === undefined) return `- { decision: allow, tool: ${toolName} }`;
  if (effect.opaque === true) return undefined;
  const target = JSON.stringify(asGlob(effect.target));
  return `- { decision: allow, tool: ${toolName}, effect: ${effect.kind}, target: ${target} }`;
}

/** A text as a glob: a star in it would mean far more than itself, a question mark means one character. */
function asGlob(text: string): string {
  return text.replaceAll("*", "?");
}

/**
 * Ends a refusal: a kept question can be answered; else the narrowest rule. Where a rule asks, no other rule can say yes.
 * A model reads it, and may have a shell: it says who answers and where, and names no command that says yes.
 */
export function howToAllow(folder: string): HowToAllow {
  return (toolName, { rule, effects, parts = [{ toolName, effects }] }, questionId) => {
    const answer =
      questionId === undefined
        ? "a person makes the call at a terminal of theirs, where haft asks them"
        : `a person answers the question ${questionId}, at a terminal or console of theirs; then make the same call again`;
    if (rule !== undefined) return `a rule asks here, which no other rule undoes: ${answer}`;
    const rules = new Set(
      parts.flatMap((part) =>
        (part.effects.length === 0 ? [undefined] : part.effects).map((one) =>
          narrowestRule(part.toolName, one),
        ),
      ),
    );
    // More of them say more than anybody reads in a refusal; one that is missing leaves the question.
    if (rules.has(undefined) || rules.size > 3) return `to allow it once, ${answer}`;
    const file = join(folder, configFileName);
    return `to allow it once, ${answer}; to allow it always, the owner adds ${Array.from(rules).join(" and ")} to permissions in ${file} and trusts it`;
  };
}
