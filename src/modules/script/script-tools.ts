import type { Tool } from "../../kernel/index.ts";
import { defaultScriptLimits, type ScriptLimits } from "./limits.ts";
import { runScriptTool } from "./run-script.ts";

export interface ScriptServices {
  /** @default {@link defaultScriptLimits} for each that is absent */
  readonly limits?: Partial<ScriptLimits>;
}

/** `run_script`. */
export function scriptTools({ limits }: ScriptServices = {}): Tool[] {
  return [runScriptTool({ ...defaultScriptLimits, ...limits })];
}
