import type { Answer, AnswerError } from "./messages.ts";

/** How the prelude reaches the worker. Only numbers and JSON cross. */
export interface PreludeDoors {
  /** Makes a call; returns the answer where there is one at once. */
  readonly call: (id: number, call: string) => string | undefined;
  readonly print: (text: string) => void;
  /**
   * Tells that the program gave a result, if any, as JSON, or failed with a {@link ThrownInScript}, as JSON.
   */
  readonly end: (how: ScriptEnding, json: string | undefined) => void;
}

export type ScriptEnding = "done" | "unwritable" | "failed";

/** What can be read of anything that the program threw. */
export interface ThrownInScript {
  readonly text: string;
  readonly stack: string;
  readonly code?: string;
  readonly tool?: string;
}

export interface Prelude {
  /** Gives a waiting call its answer. */
  readonly answer: (id: number, answer: string) => void;
  /** Follows the program, given as the promise of its evaluation. */
  readonly follow: (program: Promise<{ readonly value: unknown }>) => void;
  /** A {@link ThrownInScript}, as JSON. */
  readonly describe: (thrown: unknown) => string;
}

type Fail = (error: AnswerError) => Error;

/**
 * Makes `tools` and `console` in the engine, where it runs before the program. It is given there as its source text, so
 * it may use nothing but its parameters and JavaScript's own globals. The program can spoil it for itself, and for
 * nobody else.
 */
export function prelude(
  call: PreludeDoors["call"],
  print: PreludeDoors["print"],
  end: PreludeDoors["end"],
  maxChars: number,
): Prelude {
  const { parse, stringify } = JSON;
  const waiting = new Map<number, (answer: string) => void>();
  let calls = 0;

  class ToolError extends Error {
    override readonly name = "ToolError";
    readonly code: string;
    readonly tool: string;
    declare readonly details?: unknown;
    declare readonly stillRunning?: boolean;

    constructor({ code, message, ...more }: AnswerError, tool: string, stack = "") {
      super(message);
      this.code = code;
      this.tool = tool;
      Object.assign(this, more);
      this.stack = stack;
    }
  }

  const ask = (name: unknown, args: unknown, give: (answer: Answer, fail: Fail) => unknown) => {
    const { stack } = new Error();
    const fail: Fail = (error) => new ToolError(error, text(name), stack);
    return new Promise<unknown>((resolve, reject) => {
      let json: string;
      try {
        json = stringify({ name: String(name), args: writable(args) });
      } catch (thrown) {
        const message = `Cannot call "${text(name)}": its arguments can't be written as JSON (${text(thrown)}); give plain objects, lists, texts and numbers`;
        reject(fail({ code: "SCRIPT_ARGUMENTS", message }));
        return;
      }
      const id = ++calls;
      waiting.set(id, (answer) => {
        try {
          resolve(give(parse(answer) as Answer, fail));
        } catch (thrown) {
          reject(thrown);
        }
      });
      const atOnce = call(id, json);
      if (atOnce !== undefined) answer(id, atOnce);
    });
  };

  /** Only what JSON has no word for at all is refused: it would be left out silently. */
  const writable = (args: unknown): unknown => {
    if (args === undefined) return {};
    if (typeof args === "function" || typeof args === "symbol")
      throw new TypeError(`a ${typeof args} is no data`);
    return args;
  };

  const readValue = ({ whole, error }: Answer, fail: Fail): unknown => {
    if (error !== undefined) throw fail(error);
    return whole["result"];
  };
  const getWhole = ({ whole }: Answer): unknown => whole;

  const ownWords = new Map<unknown, unknown>([
    ["call", (name: unknown, args: unknown) => ask(name, args, readValue)],
    ["raw", (name: unknown, args: unknown) => ask(name, args, getWhole)],
    // What the language itself looks for on any object is not there.
    ["then", undefined],
    ["toJSON", undefined],
  ]);
  const tools = new Proxy(Object.create(null) as object, {
    get(_target, name) {
      if (typeof name === "symbol") return undefined;
      return ownWords.has(name) ? ownWords.get(name) : (args: unknown) => ask(name, args, readValue);
    },
    set: () => false,
    defineProperty: () => false,
  });

  const text = (value: unknown): string => {
    try {
      if (typeof value === "string") return value.slice(0, maxChars);
      if (value instanceof Error) return `${value.name}: ${value.message}`.slice(0, maxChars);
      const json = typeof value === "object" ? stringify(value) : undefined;
      return (json ?? String(value)).slice(0, maxChars);
    } catch {
      return Object.prototype.toString.call(value);
    }
  };
  const log = (...values: readonly unknown[]) => print(stringify(`${values.map(text).join(" ")}\n`));
  const console = { log, info: log, warn: log, error: log, debug: log };

  const describe = (thrown: unknown): string => {
    const read = (field: string) => {
      try {
        const value = (Object(thrown) as Record<string, unknown>)[field];
        return typeof value === "string" ? value.slice(0, 4000) : undefined;
      } catch {
        return undefined;
      }
    };
    const isTools = thrown instanceof ToolError;
    return stringify({
      text: isTools ? (read("message") ?? "") : text(thrown).slice(0, 2000),
      stack: read("stack") ?? "",
      code: isTools ? read("code") : undefined,
      tool: isTools ? read("tool") : undefined,
    });
  };

  const answer = (id: number, json: string) => {
    const settle = waiting.get(id);
    waiting.delete(id);
    settle?.(json);
  };

  const follow = (program: Promise<{ readonly value: unknown }>) => {
    const finish = async () => {
      const { value } = await program;
      return await value;
    };
    void finish().then(
      (value) => {
        let json: string | undefined;
        try {
          json = stringify(value);
        } catch (thrown) {
          end("unwritable", describe(thrown));
          return;
        }
        end("done", json);
      },
      (thrown: unknown) => end("failed", describe(thrown)),
    );
  };

  Object.assign(globalThis, { tools, console });
  return { answer, follow, describe };
}
