import type { Rule } from "../../kernel/index.ts";

/** The target of the `run` effect that stands for leaving the sandbox; no command line is written like that. */
export const outsideSandbox = "(outside the sandbox)";

/** Each command that asks for no sandbox is a question of its own: no rule that allows commands means this. */
export const outsideRules: readonly Rule[] = [
  {
    decision: "ask",
    effect: "run",
    target: outsideSandbox,
    reason: "it runs outside the sandbox",
    remember: "never",
  },
];
