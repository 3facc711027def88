import { isRecord, parseJson } from "../../base/index.ts";
import type { ScriptLimits } from "./limits.ts";
import type { ScriptFault } from "./messages.ts";
import type { ThrownInScript } from "./prelude.ts";

/** The text is no program. */
export function syntaxFault(thrown: string, code: string, linesBefore: number): ScriptFault {
  const { text, stack } = readThrown(thrown);
  const place = placeIn(stack, linesBefore);
  const hint = /^\s*(import|export)\b/m.test(code)
    ? "; a script imports and exports nothing, it calls tools"
    : "; mend it there, it is JavaScript";
  return {
    code: "SCRIPT_SYNTAX",
    message: `Cannot run the script: ${formatPlaceName(place)}${text}${hint}`,
    details: { ...place },
  };
}

/** The program threw what it did not catch. */
export function thrownFault(json: string, linesBefore: number, limits: ScriptLimits): ScriptFault {
  const { text, stack, code, tool } = readThrown(json);
  const place = placeIn(stack, linesBefore);
  // If there is no memory even for an error, the engine throws null.
  if (text === "null") return memoryFault(limits, "it threw null, most often for being out of memory");
  if (/^InternalError: (out of memory|stack overflow)/.test(text))
    return memoryFault(limits, `${formatPlaceName(place)}${text}`);
  if (code !== undefined) {
    return {
      code: "SCRIPT_FAILED",
      message: `Cannot finish the script: ${formatPlaceName(place)}its call of "${tool}" failed: ${text} [${code}]`,
      details: { ...place, code, tool },
    };
  }
  const hint = text.startsWith("ReferenceError")
    ? "; a script has JavaScript's own objects, console and tools"
    : "";
  return {
    code: "SCRIPT_FAILED",
    message: `Cannot finish the script: ${formatPlaceName(place)}${text}${hint}`,
    details: { ...place },
  };
}

export function resultFault(json: string): ScriptFault {
  const { text } = readThrown(json);
  return {
    code: "SCRIPT_RESULT",
    message: `Cannot give back the script's result: it can't be written as JSON (${text}); the calls were made, so return plain data of them`,
  };
}

export function longResultFault(chars: number, { resultChars }: ScriptLimits): ScriptFault {
  return {
    code: "SCRIPT_RESULT",
    message: `Cannot give back the script's result: it has ${chars} characters, and ${resultChars} are the most; the calls were made, so return a part or a summary of it`,
    details: { chars, resultChars },
  };
}

export function memoryFault({ memoryBytes }: ScriptLimits, what: string): ScriptFault {
  return {
    code: "SCRIPT_MEMORY",
    message: `Cannot finish the script: ${what}; it has ${Math.round(memoryBytes / 1024 / 1024)} MB and a bounded depth of calls, so hold less at a time`,
    details: { memoryBytes },
  };
}

export function computingFault({ computeMs }: ScriptLimits): ScriptFault {
  return {
    code: "SCRIPT_COMPUTING",
    message: `Cannot finish the script: it computed for ${computeMs} ms, which is the most, awaited calls not counted; look for a loop without end, or do less at a time`,
    details: { computeMs },
  };
}

export const stuckFault: ScriptFault = {
  code: "SCRIPT_STUCK",
  message:
    "Cannot finish the script: it awaits something that can't come, as no call of it runs any more; await only calls of tools, and what is made of them",
};

interface Place {
  readonly line: number;
  readonly column: number;
}

function placeIn(stack: string, linesBefore: number): Place | undefined {
  const found = /script\.js:(\d+):(\d+)/.exec(stack);
  const line = Number(found?.[1]) - linesBefore;
  return found === null || line < 1 ? undefined : { line, column: Number(found[2]) };
}

function formatPlaceName(place: Place | undefined): string {
  return place === undefined ? "" : `line ${place.line}, column ${place.column}: `;
}

/** Comes from where the program runs, so anything may be in it. */
function readThrown(json: string): ThrownInScript {
  const value = parseJson(json);
  const read = (field: string) => {
    const part = isRecord(value) ? value[field] : undefined;
    return typeof part === "string" ? part : undefined;
  };
  const code = read("code");
  const tool = read("tool");
  return {
    text: read("text") ?? "it threw something that can't be read",
    stack: read("stack") ?? "",
    ...(code !== undefined && { code }),
    ...(tool !== undefined && { tool }),
  };
}
