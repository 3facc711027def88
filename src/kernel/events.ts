import type { ToolUpdate } from "./context.ts";
import type { ToolFailure, ToolSuccess } from "./result.ts";

/** The seeds' numbers. */
export const toolEventCodes = {
  "tool.requested": 400,
  "tool.updated": 405,
  "tool.completed": 410,
  "tool.failed": 420,
} as const;

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

export type Listener<Event> = (event: Event) => unknown;

/**
 * Tells listeners what happened, each in its own turn of the microtask queue. Nothing waits for a listener, and
 * one that throws or rejects is reported to `onError` and harms nobody.
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

  emit(event: Event): void {
    for (const listener of this.#listeners) queueMicrotask(() => this.#tell(listener, event));
  }

  async #tell(listener: Listener<Event>, event: Event): Promise<void> {
    try {
      await listener(event);
    } catch (error) {
      this.#onError(error, event);
    }
  }
}
