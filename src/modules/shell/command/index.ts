/** Reads a command line, and lists every part that it would run. */
export { analyseCommand } from "./analyse-command.ts";
/** The effects of a line that was read. */
export { commandEffects } from "./command-effects.ts";
/** What is known to be dangerous about a line that was read; shown, never decided by. */
export { findRisk } from "./judging/risk.ts";
/** What a file with code says now. */
export { digestOfCode } from "./syntax/named-code.ts";
