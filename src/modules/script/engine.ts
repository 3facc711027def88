import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import { type Prelude, type PreludeDoors, prelude, type ScriptEnding } from "./prelude.ts";

/** What is used of it; Node's types leave it out. */
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => object;
};

const pageBytes = 65_536;
/** The engine's own data and stack, and room for what can't be packed tightly. */
const ownPages = 256;
/** Well below the stack of the worker, which must not overflow first: that would break the engine. */
const stackBytes = 256 * 1024;
/** `await` at the top, and the value of the last expression as `{value}`. */
const asyncScript = 1 << 7;
const jobsAtOnce = 1000;

export interface EngineOptions {
  readonly memoryBytes: number;
  /** Texts for people are cut to this. */
  readonly maxChars: number;
  /** Asked again and again while the program computes; true stops it. */
  readonly shouldStop: () => boolean;
}

/** What became of a text that was to be a program. */
export type Started =
  | { readonly type: "started" }
  /** A `ThrownInScript`, as JSON. */
  | { readonly type: "refused"; readonly thrown: string };

/** One program in QuickJS. Nothing of it is reachable from the program but its doors, over which texts go. */
export class Engine {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #options: EngineOptions;
  readonly #prelude: Record<keyof Prelude, QuickJSHandle>;
  #isBroken = false;

  static async open(options: EngineOptions, doors: PreludeDoors): Promise<Engine> {
    const [{ newQuickJSWASMModuleFromVariant, newVariant }, { default: build }] = await Promise.all([
      import("quickjs-emscripten-core"),
      import("@jitl/quickjs-wasmfile-release-sync"),
    ]);
    // Its types are those of its CommonJS form, which has another default.
    const variant = build as unknown as QuickJSSyncVariant;
    const wasmMemory = new WebAssembly.Memory({
      initial: ownPages,
      maximum: ownPages + Math.ceil(options.memoryBytes / pageBytes),
    });
    const module = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));
    const runtime = module.newRuntime({
      memoryLimitBytes: options.memoryBytes,
      maxStackSizeBytes: stackBytes,
      interruptHandler: options.shouldStop,
    });
    return new Engine(runtime, options, doors);
  }

  private constructor(runtime: QuickJSRuntime, options: EngineOptions, doors: PreludeDoors) {
    this.#runtime = runtime;
    this.#options = options;
    this.#context = runtime.newContext();
    this.#prelude = this.#openPrelude(doors);
  }

  /** Something failed that does so only where memory is short, or the program spoilt what it runs on. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Begins a program; nothing of it has run where it was refused. */
  start(code: string): Started {
    const evaluated = this.#context.evalCode(code, "script.js", asyncScript);
    if (evaluated.error !== undefined) return { type: "refused", thrown: this.#describe(evaluated.error) };
    this.#call(this.#prelude.follow, evaluated.value);
    return { type: "started" };
  }

  answer(id: number, json: string): void {
    const text = this.#context.newString(json);
    this.#call(this.#prelude.answer, this.#context.newNumber(id), text);
    text.dispose();
  }

  /** Runs until everything waits for an answer, or the program was stopped. */
  runJobs(): void {
    while (this.#runtime.hasPendingJob() && !this.#options.shouldStop()) {
      const ran = this.#runtime.executePendingJobs(jobsAtOnce);
      if (ran.error !== undefined) this.#isBroken = true;
    }
  }

  #openPrelude({ call, print, end }: PreludeDoors): Record<keyof Prelude, QuickJSHandle> {
    const context = this.#context;
    const readText = (handle: QuickJSHandle) =>
      context.typeof(handle) === "string" ? context.getString(handle) : undefined;
    const doors = [
      context.newFunction("call", (id, json) => {
        const atOnce = call(context.getNumber(id), readText(json) ?? "");
        return atOnce === undefined ? context.undefined : context.newString(atOnce);
      }),
      context.newFunction("print", (json) => print(JSON.parse(readText(json) ?? '""') as string)),
      context.newFunction("end", (how, json) => end(readText(how) as ScriptEnding, readText(json))),
      context.newNumber(this.#options.maxChars),
    ];
    const made = context.unwrapResult(context.evalCode(`(${prelude.toString()})`, "prelude.js", 0));
    const parts = context.unwrapResult(context.callFunction(made, context.undefined, doors));
    const part = (name: keyof Prelude) => context.getProp(parts, name);
    return { answer: part("answer"), follow: part("follow"), describe: part("describe") };
  }

  #describe(thrown: QuickJSHandle): string {
    const described = this.#call(this.#prelude.describe, thrown);
    return described === undefined ? "{}" : this.#context.getString(described);
  }

  /** Undefined where the function threw, as the prelude's do when memory is short or the program is stopped. */
  #call(function_: QuickJSHandle, ...args: readonly QuickJSHandle[]): QuickJSHandle | undefined {
    const called = this.#context.callFunction(function_, this.#context.undefined, [...args]);
    if (called.error === undefined) return called.value;
    this.#isBroken = true;
    return undefined;
  }
}
