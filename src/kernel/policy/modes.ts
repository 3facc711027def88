import type { Rule } from "./rules.ts";

/** How far a caller may go by itself; {@link Mode} says what each means. */
export const modes = ["plan", "ask", "auto", "locked"] as const;

/**
 * How far a caller may go by itself. `plan`: it may look and change nothing. `ask`: the rules as they are. `auto`: also
 * whatever runs in a sandbox, can be read before it runs, has no known risk and can be undone. `locked`: only what rules allow, and nobody is asked. None undoes a rule that denies.
 */
export type Mode = (typeof modes)[number];

const readsOnly = "mode plan only looks";

/** The rules that a mode adds. `locked` adds none: it takes questions and remembered answers away. */
export const modeRules: Readonly<Record<Mode, readonly Rule[]>> = {
  plan: [
    { decision: "deny", effect: "write", reason: readsOnly },
    { decision: "deny", effect: "delete", reason: readsOnly },
    { decision: "deny", effect: "run", within: false, reason: readsOnly },
    { decision: "deny", effect: "connect", annotations: { readOnly: false }, reason: readsOnly },
    { decision: "deny", effect: "none", annotations: { readOnly: false }, reason: readsOnly },
  ],
  ask: [],
  auto: [{ decision: "allow", effect: "run", confined: true, risky: false, opaque: false, undoable: true }],
  locked: [],
};
