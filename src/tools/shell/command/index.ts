export { analyseCommand } from "./analyse-command.ts";
export type { CommandAnalysis, CommandPart, FileUse, FileUseKind } from "./analysis.ts";
export { commandEffects, type CommandPlace, type Places } from "./command-effects.ts";
export { type Risk, riskOf } from "./risk.ts";
