import { getErrorMessage } from "../../base/index.ts";
import {
  type AssistantMessage,
  type ChatEvent,
  type ChatModel,
  type ChatRequest,
  ModelError,
} from "../../model/index.ts";
import { type AnswerEntry, mostEntryChars } from "../../modules/sessions/index.ts";
import type { AgentEvent } from "./events.ts";

/** The end of an answer. */
export type AnswerEnd = Extract<ChatEvent, { type: "end" }>;

/** Listeners to an answer while it streams. */
export interface AskOptions {
  readonly emit: (event: AgentEvent) => void;
  /** Told of each piece of the answer. */
  readonly onPiece: (event: ChatEvent) => void;
  /** Awaited before the next request is made. */
  readonly onWithdrawn: (event: Extract<ChatEvent, { type: "withdrawn" }>) => Promise<void>;
}

/**
 * Asks the model, and emits its answer as it streams.
 *
 * @throws What the model's stream rejects with, after an event has withdrawn the pieces shown so far.
 */
export async function askModel(
  model: ChatModel,
  request: ChatRequest,
  { emit, onPiece, onWithdrawn }: AskOptions,
): Promise<AnswerEnd> {
  let isShown = false;
  try {
    for await (const event of model.stream(request)) {
      if (event.type === "end") return event;
      onPiece(event);
      if (event.type === "withdrawn") {
        if (isShown) emit({ type: "answer.withdrawn", why: event.message });
        isShown = false;
        emit(toRetry(event));
        await onWithdrawn(event);
      }
      if (event.type !== "text" && event.type !== "reasoning") continue;
      isShown = true;
      emit({ type: event.type === "text" ? "answer.text" : "answer.reasoning", delta: event.delta });
    }
  } catch (thrown) {
    if (isShown) emit({ type: "answer.withdrawn", why: getErrorMessage(thrown) });
    throw thrown;
  }
  throw new TypeError(`The model "${model.id}" ended its answer without saying so`);
}

function toRetry(withdrawn: Extract<ChatEvent, { type: "withdrawn" }>): AgentEvent {
  const { message: why, ...rest } = withdrawn;
  return { ...rest, type: "request.retried", why };
}

/**
 * An answer as an entry.
 *
 * @throws {ModelError} MODEL_ANSWER: it is longer than any entry may be.
 */
export function toAnswer(end: AnswerEnd, step: number, asked: string): AnswerEntry {
  const { stop, message, usage, model = asked } = end;
  requireEntry(message, model);
  return {
    kind: "answer",
    step,
    model,
    stop,
    message: withoutEmpty(message),
    inputTokens: usage.inputTokens,
  };
}

function withoutEmpty({ role, parts }: AssistantMessage): AssistantMessage {
  return { role, parts: parts.filter((part) => part.type !== "text" || part.text !== "") };
}

/** The parts of an entry beside the message. */
const restChars = 1000;

/** More than JSON adds to a part: its names, quotes and brackets. */
const frameChars = 100;
/** The most characters of JSON that one character becomes. */
const mostEscaped = 6;

/** Whether the parts surely fit in an entry: most answers are far too short to be written for a count. */
function areShort(parts: AssistantMessage["parts"]): boolean {
  let chars = 0;
  for (const part of parts) {
    if (part.type !== "text" && part.opaque !== undefined) return false;
    const texts =
      part.type === "call" ? part.id.length + part.name.length + part.input.length : part.text.length;
    chars += frameChars + mostEscaped * texts;
  }
  return chars <= mostEntryChars - restChars;
}

function requireEntry({ parts }: AssistantMessage, model: string): void {
  if (areShort(parts)) return;
  const { length } = JSON.stringify(parts);
  if (length <= mostEntryChars - restChars) return;
  throw new ModelError(
    "MODEL_ANSWER",
    `Cannot keep the answer of the model "${model}": it has ${length} characters, and at most ${mostEntryChars} are kept; ask for less at a time, or set a lower maxOutputTokens for the model`,
    { details: { chars: length } },
  );
}
