import { Engine } from "./engine.ts";
import { asFunctionBody, asScript, type ProgramForm, withoutTypes } from "./forms.ts";
import type { ScriptLimits } from "./limits.ts";
import type { Answer, ScriptEnd, ScriptFault, ScriptMessage } from "./messages.ts";
import type { ScriptEnding } from "./prelude.ts";
import {
  computingFault,
  longResultFault,
  memoryFault,
  resultFault,
  stuckFault,
  syntaxFault,
  thrownFault,
} from "./script-faults.ts";

/** Runs one program, in turns: one to begin with, and one for each answer that it gets. */
export class ScriptProgram {
  readonly #limits: ScriptLimits;
  readonly #tell: (message: ScriptMessage) => void;
  /** Set by `open`. */
  #engine!: Engine;
  #linesBefore = 0;
  #calls = 0;
  /** Calls that have no answer yet. */
  #waiting = 0;
  #printed = 0;
  #computedMs = 0;
  /** When the turn began that is on; as {@link busyMs}. */
  #since: number | undefined;
  #stopped = false;
  /** What the program came to; calls that it did not await may still run. */
  #end: ScriptEnd | undefined;
  #over = false;

  static async open(limits: ScriptLimits, tell: (message: ScriptMessage) => void): Promise<ScriptProgram> {
    const program = new ScriptProgram(limits, tell);
    program.#engine = await Engine.open(
      {
        memoryBytes: limits.memoryBytes,
        maxChars: limits.consoleChars,
        shouldStop: () => program.#shouldStop(),
      },
      {
        call: (id, call) => program.#call(id, call),
        print: (text) => program.#print(text),
        end: (how, json) => program.#finish(how, json),
      },
    );
    return program;
  }

  private constructor(limits: ScriptLimits, tell: (message: ScriptMessage) => void) {
    this.#limits = limits;
    this.#tell = tell;
  }

  start(code: string): void {
    const refused = this.#tryForms(code, asScript(code));
    if (refused === undefined) return;
    for (const form of [asScript(code), asFunctionBody(code)]) {
      const plain = withoutTypes(form);
      if (plain !== undefined && this.#tryForms(code, plain) === undefined) return;
    }
    this.#endWith({ type: "failed", fault: refused });
  }

  answer(id: number, json: string): void {
    this.#waiting--;
    this.#turn(() => this.#engine.answer(id, json));
  }

  /** The program as it stands, or, where a `return` at the top forbids that, as a function. */
  #tryForms(code: string, form: ProgramForm): ScriptFault | undefined {
    const refused = this.#try(code, form);
    if (refused?.message.includes("return not in a function") !== true) return refused;
    return this.#try(code, asFunctionBody(form.text));
  }

  /** The fault of a text that is no program. */
  #try(code: string, { text, linesBefore }: ProgramForm): ScriptFault | undefined {
    this.#linesBefore = linesBefore;
    let refused: ScriptFault | undefined;
    this.#turn(() => {
      const started = this.#engine.start(text);
      if (started.type === "refused") refused = syntaxFault(started.thrown, code, linesBefore);
      return started.type === "started";
    });
    return refused;
  }

  /** Lets the program run until it waits; ends it where there is nothing to wait for. `work` may say that nothing began. */
  #turn(work: () => boolean | void): void {
    if (this.#over) return;
    const since = busyMs();
    this.#since = since;
    let began: boolean;
    try {
      began = work() !== false;
      if (began) this.#engine.runJobs();
    } catch (thrown) {
      // The engine itself broke, at a limit that it does not know: nothing can be said of its state.
      this.#endWith({
        type: "failed",
        fault: memoryFault(this.#limits, `the engine gave up (${String(thrown)})`),
      });
      return;
    }
    this.#computedMs += busyMs() - since;
    this.#since = undefined;
    if (this.#stopped) this.#endWith({ type: "failed", fault: computingFault(this.#limits) });
    else if (this.#end?.type === "failed") this.#endWith(this.#end);
    else if (began && this.#waiting === 0)
      this.#endWith(this.#end ?? { type: "failed", fault: this.#silence() });
  }

  #shouldStop(): boolean {
    if (this.#since === undefined) return false;
    this.#stopped ||= this.#computedMs + busyMs() - this.#since > this.#limits.computeMs;
    return this.#stopped;
  }

  #call(id: number, call: string): string | undefined {
    const { calls, argumentChars } = this.#limits;
    if (++this.#calls > calls) {
      return refusal(
        "SCRIPT_CALLS",
        `Cannot make another call: a script may make ${calls}; ask for more with each, or go on in another script`,
      );
    }
    if (call.length > argumentChars) {
      return refusal(
        "SCRIPT_ARGUMENTS",
        `Cannot call with ${call.length} characters of arguments: ${argumentChars} are the most; give less at a time`,
      );
    }
    this.#waiting++;
    this.#tell({ type: "called", id, call });
    return undefined;
  }

  #print(text: string): void {
    const { consoleChars } = this.#limits;
    const shown = text.slice(0, Math.max(0, consoleChars - this.#printed));
    this.#printed += text.length;
    if (shown !== "") this.#tell({ type: "printed", text: shown });
    if (shown.length < text.length && this.#printed - text.length <= consoleChars)
      this.#tell({
        type: "printed",
        text: `\n[… the rest of the console is left out: ${consoleChars} characters are the most]\n`,
      });
  }

  /** The first end counts: a program that spoils its own objects may come to several. */
  #finish(how: ScriptEnding, json: string | undefined): void {
    this.#end ??= this.#toEnd(how, json);
  }

  #toEnd(how: ScriptEnding, json: string | undefined): ScriptEnd {
    if (how === "failed")
      return { type: "failed", fault: thrownFault(json ?? "", this.#linesBefore, this.#limits) };
    if (how === "unwritable") return { type: "failed", fault: resultFault(json ?? "") };
    if (json === undefined) return { type: "done" };
    if (json.length > this.#limits.resultChars)
      return { type: "failed", fault: longResultFault(json.length, this.#limits) };
    return { type: "done", result: json };
  }

  /** Why it neither ended nor goes on. */
  #silence(): ScriptFault {
    return this.#engine.isBroken
      ? memoryFault(this.#limits, "it is out of memory, or spoilt what its calls are made with")
      : stuckFault;
  }

  #endWith(end: ScriptEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#tell(end);
  }
}

function refusal(code: "SCRIPT_CALLS" | "SCRIPT_ARGUMENTS", message: string): string {
  const answer: Answer = { whole: { success: false, code, error: message }, error: { code, message } };
  return JSON.stringify(answer);
}

/** The processor's time of this thread, where Node can tell: on a busy machine a program has no less of it. */
function busyMs(): number {
  if (process.threadCpuUsage === undefined) return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
