import { type Clock, systemClock } from "../../base/index.ts";
import type { ChatEvent, ChatModel, ChatRequest } from "../chat-model.ts";
import { ModelError } from "../errors.ts";

/** How long an answer is waited for, in ms. */
export interface AnswerDeadlines {
  /** Until it begins. @default 120,000; 300,000 where the model is to think */
  readonly firstMs?: number;
  /** Between two pieces of it. @default 60,000 */
  readonly silenceMs?: number;
  /** Until its end. @default 1,200,000 */
  readonly wholeMs?: number;
}

/**
 * Wraps a model with deadlines: an answer fails with MODEL_SILENT if nothing comes for too long, and with MODEL_TIMEOUT
 * if it takes too long in all.
 *
 * @example
 * ```ts
 * const clock = createFakeClock();
 * const slow = createScriptedChat([{ text: "late", delayMs: 200_000 }], { clock });
 * const model = asModel(withDeadlines(slow, { firstMs: 120_000 }, clock));
 * const { signal } = new AbortController();
 * const asked = model.complete({ messages: [{ role: "user", text: "hi" }], signal });
 * const fault = asked.catch((error: unknown) => error);
 * await clock.advance(120_000);
 * const error = await fault;
 * error instanceof ModelError && error.code; // → "MODEL_SILENT"
 * ```
 */
export function withDeadlines(
  chat: ChatModel,
  deadlines: AnswerDeadlines = {},
  clock: Clock = systemClock,
): ChatModel {
  return {
    id: chat.id,
    facts: chat.facts,
    stream: (request) => streamInTime(chat, request, deadlines, clock),
  };
}

async function* streamInTime(
  chat: ChatModel,
  request: ChatRequest,
  deadlines: AnswerDeadlines,
  clock: Clock,
): AsyncGenerator<ChatEvent, void, void> {
  const {
    firstMs = thinks(request) ? 300_000 : 120_000,
    silenceMs = 60_000,
    wholeMs = 1_200_000,
  } = deadlines;
  request.signal.throwIfAborted();
  const end = new AbortController();
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  const giveUp = (error: ModelError) => {
    late.reject(error);
    end.abort(error);
  };
  const cancelWhole = clock.after(wholeMs, () =>
    giveUp(tookTooLong("MODEL_TIMEOUT", wholeMs, `it did not end within ${wholeMs} ms`, chat.id)),
  );
  const signal = AbortSignal.any([request.signal, end.signal]);
  const events = chat.stream({ ...request, signal })[Symbol.asyncIterator]();
  let isFirst = true;
  try {
    for (;;) {
      const waitMs = isFirst ? firstMs : silenceMs;
      const cancel = clock.after(waitMs, () => giveUp(silent(isFirst, waitMs, chat.id)));
      try {
        const { done, value } = await Promise.race([events.next(), late.promise]);
        if (done === true) return;
        isFirst = false;
        cancel();
        yield value;
      } finally {
        cancel();
      }
    }
  } finally {
    cancelWhole();
    // A stream that was given up may never settle: nobody waits for it.
    void events.return?.()?.catch(() => undefined);
  }
}

function thinks({ effort = "off" }: ChatRequest): boolean {
  return effort !== "off";
}

function silent(isFirst: boolean, waitMs: number, id: string): ModelError {
  const what = isFirst ? `there was no answer within ${waitMs} ms` : `nothing more came for ${waitMs} ms`;
  return tookTooLong("MODEL_SILENT", waitMs, what, id);
}

function tookTooLong(
  code: "MODEL_SILENT" | "MODEL_TIMEOUT",
  timeoutMs: number,
  what: string,
  id: string,
): ModelError {
  return new ModelError(
    code,
    `Cannot wait for the model "${id}": ${what}; see that the service runs, or try again later`,
    { details: { timeoutMs } },
  );
}
