import { isPromise } from "../../base/index.ts";
import type { ToolUpdate } from "./context.ts";
import type { ToolFailure, ToolSuccess } from "./result.ts";

/** The numbers that completion events have on the wire. */
export const toolEventCodes = {
  "tool.requested": 400,
  "tool.updated": 405,
  "tool.completed": 410,
  "tool.failed": 420,
} as const;

/** What happens to a call, in this order: requested, any number of updates, then completed or failed. */
export type ToolEvent =
  | (EventBase<"tool.requested"> & { readonly params: unknown })
  | (EventBase<"tool.updated"> & { readonly update: ToolUpdate })
  | (EventBase<"tool.completed"> & { readonly result: ToolSuccess })
  | (EventBase<"tool.failed"> & { readonly result: ToolFailure });

interface EventBase<Type extends keyof typeof toolEventCodes> {
  readonly type: Type;
  readonly code: (typeof toolEventCodes)[Type];
  readonly callId: string;
  readonly toolName: string;
  readonly taskId: string | undefined;
  /** Unix ms. */
  readonly at: number;
}

/** A function that is told of events. What it returns or throws changes nothing for the call. */
export type Listener<Event> = (event: Event) => unknown;

/**
 * Tells listeners what happened, at once and in the order they came. Nothing waits for what a listener starts, and
 * one that throws or rejects is reported to `onError` and harms nobody.
 *
 * @example
 * ```ts
 * const bus = new EventBus<{ type: "saved"; file: string }>();
 * const files: string[] = [];
 * const stop = bus.on(({ file }) => files.push(file));
 * bus.emit({ type: "saved", file: "a.txt" });
 * stop();
 * bus.emit({ type: "saved", file: "b.txt" });
 * files; // → ["a.txt"]
 * ```
 */
export class EventBus<Event extends { readonly type: string }> {
  #listeners: readonly Listener<Event>[] = [];
  readonly #onError: (error: unknown, event: Event) => void;

  constructor(onError: (error: unknown, event: Event) => void = () => {}) {
    this.#onError = onError;
  }

  /** Nobody listens: an event need not be made. */
  get idle(): boolean {
    return this.#listeners.length === 0;
  }

  /** Listens to every event; the returned function ends it. */
  on(listener: Listener<Event>): () => void {
    const added: Listener<Event> = (event) => listener(event);
    this.#listeners = [...this.#listeners, added];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== added);
    };
  }

  /** Tells all who listened when it was called. */
  emit(event: Event): void {
    for (const listener of this.#listeners) this.#tell(listener, event);
  }

  #tell(listener: Listener<Event>, event: Event): void {
    try {
      const told = listener(event);
      if (isPromise(told)) told.then(undefined, (error: unknown) => this.#report(error, event));
    } catch (error) {
      this.#report(error, event);
    }
  }

  #report(error: unknown, event: Event): void {
    try {
      this.#onError(error, event);
    } catch {} // There is nobody left to tell.
  }
}
