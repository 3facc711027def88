import { FairSemaphore, isRecord, parseJson } from "../../base/index.ts";
import type { ArtifactRef, ToolContext, ToolResult } from "../../kernel/index.ts";
import type { ScriptLimits } from "./limits.ts";
import type { Answer, AnswerError, ScriptCall } from "./messages.ts";

/** Different failures that a result lists. */
const mostListed = 10;
/** More than the executor takes to say that it cut a text: one that was cut is still longer than a script may be given. */
const noticeChars = 1000;

/** What of its context a script is run with. */
export type ScriptContext = Pick<ToolContext, "call" | "signal" | "progress" | "output">;

/** The calls of one script. Each goes through the gate, for whoever called the script. */
export class ScriptCalls {
  readonly #context: ScriptContext;
  readonly #limits: ScriptLimits;
  readonly #places: FairSemaphore;
  /** Ends what still runs when the script is over. */
  readonly #over = new AbortController();
  readonly #failed = new Map<string, number>();
  #made = 0;
  /** The program was given something from outside, and may have put it into any text since. */
  #metOutside = false;

  constructor(context: ScriptContext, limits: ScriptLimits) {
    this.#context = context;
    this.#limits = limits;
    this.#places = new FairSemaphore(limits.callsAtOnce);
  }

  get made(): number {
    return this.#made;
  }

  /** Each tool that failed, with its code and how often. */
  get failed(): readonly string[] {
    const all = Array.from(this.#failed, ([what, times]) =>
      times === 1 ? what : `${what} (${times} times)`,
    );
    const more = all.length - mostListed;
    return more > 0 ? [...all.slice(0, mostListed), `${more} others`] : all;
  }

  /** Makes a call as the program wrote it, {@link ScriptCall} as JSON, and returns its {@link Answer} as JSON. */
  async make(call: string): Promise<string> {
    const { name, args } = readCall(call);
    const { signal } = this.#over;
    await this.#places.acquire("", signal);
    try {
      this.#made++;
      const calls = this.#made === 1 ? "1 call" : `${this.#made} calls`;
      this.#context.progress(this.#made, undefined, `${calls}: ${name}`);
      const result = await this.#context.call(name, args, {
        signal,
        maxOutputChars: this.#limits.valueChars + noticeChars,
        ...(this.#metOutside && { trust: "untrusted" as const }),
      });
      this.#learn(name, result);
      return JSON.stringify(this.#toAnswer(name, result));
    } finally {
      this.#places.release();
    }
  }

  /** Cancels the calls that still run, and those that wait. */
  end(): void {
    this.#over.abort(new Error("The script that made the call is over"));
  }

  #learn(name: string, result: ToolResult): void {
    this.#metOutside ||= result.trust === "untrusted";
    if (result.success) return;
    const what = `${name}: ${result.code}`;
    this.#failed.set(what, (this.#failed.get(what) ?? 0) + 1);
  }

  #toAnswer(name: string, result: ToolResult): Answer {
    const { callId, durationMs, notes, trust, artifact } = result;
    const whole = { success: result.success, callId, durationMs, trust, notes, artifact };
    if (result.success) {
      const { result: value = null } = result;
      const given = { whole: { ...whole, result: value } };
      const isCut = typeof value === "string" && value.length > this.#limits.valueChars;
      return isCut ? { ...given, error: cutError(name, artifact) } : given;
    }
    const { error: message, code, details, stillRunning, partial } = result;
    return {
      whole: { ...whole, error: message, code, details, stillRunning, partial },
      error: { code, message, details, ...(stillRunning && { stillRunning }) },
    };
  }
}

/** A text with its middle left out is no value to compute with. */
function cutError(name: string, artifact: ArtifactRef | undefined): AnswerError {
  const chars = artifact === undefined ? "too many characters" : `${artifact.chars} characters`;
  const parts = artifact === undefined ? "" : `, read "${artifact.id}" in parts with artifact_read`;
  return {
    code: "SCRIPT_VALUE",
    message: `Cannot give the script all that "${name}" returned: it has ${chars}; the call was made, so ask for less${parts}, or take its head and tail with tools.raw`,
    details: artifact,
  };
}

function readCall(call: string): ScriptCall {
  const read = parseJson(call);
  const { name, args = {} } = isRecord(read) ? read : {};
  return { name: typeof name === "string" ? name.slice(0, 200) : "", args };
}
