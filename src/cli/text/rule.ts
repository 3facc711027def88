import { showInvisible } from "../../base/index.ts";
import type { Rule } from "../../kernel/index.ts";

/** A rule in one line: `allow effect run, target npm *  (because …)`. */
export function describeRule({ decision, reason, remember, ...conditions }: Rule): string {
  const where = Object.entries(conditions).map(([key, value]) => `${key} ${text(value)}`);
  const what = where.length === 0 ? "EVERYTHING" : where.join(", ");
  const term = remember === undefined || remember === "always" ? "" : `, remembered ${terms[remember]}`;
  return showInvisible(
    `${decision} ${what}${reason === undefined ? "" : ` (${reason})`}${term}`.replaceAll("\n", " "),
  );
}

const terms = { never: "never", session: "for a session at most" } as const;

function text(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}
