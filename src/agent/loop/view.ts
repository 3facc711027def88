import { cutHead } from "../../base/index.ts";
import type {
  AssistantMessage,
  CallPart,
  ChatMessage,
  TextPart,
  ToolResultMessage,
  UserMessage,
} from "../../model/index.ts";
import type { AnswerEntry, Entry, ResultEntry } from "../../modules/sessions/index.ts";
import { listCallParts, nameCall } from "./read-run.ts";

/**
 * Entries as a model is shown them. The messages suit every API: the first and the last are not the model's, each
 * answer with calls is followed by all of their results, nothing is empty, and no two calls share an id. What is
 * appended to entries whose calls all have results is appended to the messages too, so that the beginning of a request
 * stays as it was; only a summary or a pruning changes it.
 */
export function viewEntries(entries: readonly Entry[]): readonly ChatMessage[] {
  const view = new GrowingView(findWholeFrom(entries));
  for (const entry of entries) view.add(entry);
  return view.messages();
}

/**
 * The messages of a growing list of entries, so that the view of a long session is not made anew at each step. Results
 * are shown whole from a fixed place on; a pruning moves that place and needs a new view.
 */
export class GrowingView {
  readonly #wholeFrom: number;
  readonly #ids = new CallIds();
  readonly #calls = new Map<string, ShownCall>();
  readonly #messages: ChatMessage[] = [];
  /** Answers with results that came since their message was made. */
  #changed: AskingAnswer[] = [];
  /** Parts of the next user message. */
  #parts: UserMessage["parts"][number][] = [];

  constructor(wholeFrom: number) {
    this.#wholeFrom = wholeFrom;
  }

  add(entry: Entry): void {
    if (entry.kind === "answer") return this.#addAnswer(entry);
    if (entry.kind !== "result") return void this.#parts.push(...toParts(entry));
    const call = this.#findCall(entry.callId);
    call.result = entry;
    for (const answer of call.answers) this.#change(answer);
  }

  /** The messages as a new list. Messages that have not changed are the same objects as before. */
  messages(): readonly ChatMessage[] {
    for (const answer of this.#changed) this.#messages[answer.at] = this.#showResults(answer);
    this.#changed.length = 0;
    const parts = this.#nextParts();
    return parts.length === 0
      ? this.#messages.slice()
      : [...this.#messages, { role: "user", parts: parts.slice() }];
  }

  #addAnswer(entry: AnswerEntry & Entry): void {
    const message = showAnswer(entry, this.#ids);
    if (message === undefined) return;
    const parts = this.#nextParts();
    if (parts.length > 0) {
      this.#messages.push({ role: "user", parts });
      this.#parts = [];
    }
    this.#messages.push(message);
    const shown = listCallParts(message.parts);
    if (shown.length === 0) return;
    const answer: AskingAnswer = {
      at: this.#messages.length,
      shown,
      asked: shown.map((_, at) => this.#findCall(nameCall(entry.runId, entry.step, at + 1))),
      isChanged: false,
    };
    for (const call of answer.asked) call.answers = [...call.answers, answer];
    this.#messages.push(noResults);
    this.#change(answer);
  }

  #change(answer: AskingAnswer): void {
    if (answer.isChanged) return;
    answer.isChanged = true;
    this.#changed.push(answer);
  }

  #findCall(callId: string): ShownCall {
    let call = this.#calls.get(callId);
    if (call === undefined) this.#calls.set(callId, (call = { result: undefined, answers: noAnswers }));
    return call;
  }

  /**
   * The parts of the next user message; not empty unless results come right before, since an answer has to follow
   * either.
   */
  #nextParts(): UserMessage["parts"][number][] {
    return this.#parts.length === 0 && this.#messages.at(-1)?.role !== "tool" ? [goOn] : this.#parts;
  }

  #showResults(answer: AskingAnswer): ToolResultMessage {
    const { shown, asked } = answer;
    answer.isChanged = false;
    const results = shown.map((part, at) => this.#showResult(part, asked[at]?.result));
    return { role: "tool", results };
  }

  #showResult(
    { id: callId, name, input }: CallPart,
    result: (ResultEntry & Entry) | undefined,
  ): ToolResultMessage["results"][number] {
    if (result === undefined) return { callId, name, text: "There is no result.", failed: true };
    const { failed, images, text: whole } = result;
    if (result.seq < this.#wholeFrom) return { callId, name, text: describePruned(result, input), failed };
    const text = whole.trim() === "" ? "(no output)" : whole;
    return images === undefined || images.length === 0
      ? { callId, name, text, failed }
      : { callId, name, text, failed, images };
  }
}

const noAnswers: readonly AskingAnswer[] = [];
/** Placeholder until results are shown. */
const noResults: ToolResultMessage = { role: "tool", results: [] };

/** A call by its id, as far as it is known. */
interface ShownCall {
  result: (ResultEntry & Entry) | undefined;
  /** The answers that ask for it. */
  answers: readonly AskingAnswer[];
}

/** An answer with calls. */
interface AskingAnswer {
  /** The place of its results among the messages. */
  readonly at: number;
  /** Its calls as they are shown. */
  readonly shown: readonly CallPart[];
  /** The same calls, with their results. */
  readonly asked: readonly ShownCall[];
  /** Whether results came since its message was made. */
  isChanged: boolean;
}

/** The `seq` of the first entry whose results are shown whole. */
export function findWholeFrom(entries: readonly Entry[]): number {
  return entries.findLast((entry) => entry.kind === "prune")?.before ?? 0;
}

/** Placeholder where an API wants a user message and there is none. */
const goOn: TextPart = { type: "text", text: "<note>The conversation goes on.</note>" };

function toParts(entry: Exclude<Entry, AnswerEntry>): UserMessage["parts"] {
  switch (entry.kind) {
    case "user": {
      const parts = entry.parts.filter((part) => part.type === "image" || part.text.trim() !== "");
      return entry.sender === undefined || parts.length === 0
        ? parts
        : [{ type: "text", text: `<from>${entry.sender}</from>` }, ...parts];
    }
    case "note":
      return [{ type: "text", text: `<note about="${entry.about}">\n${entry.text}\n</note>` }];
    case "summary":
      return [{ type: "text", text: `<summary>\n${entry.text}\n</summary>` }];
    case "result":
    case "parked":
    case "interrupt":
    case "prune":
      return [];
    default:
      return entry satisfies never;
  }
}

/** Undefined for an answer of which nothing can be shown. */
function showAnswer(entry: AnswerEntry & Pick<Entry, "seq">, ids: CallIds): AssistantMessage | undefined {
  let position = 0;
  let isMessage = false; // A thought alone is none.
  const parts: AssistantMessage["parts"][number][] = [];
  for (const part of entry.message.parts) {
    if (part.type === "text" && part.text.trim() === "") continue;
    isMessage ||= part.type !== "reasoning";
    parts.push(part.type === "call" ? showCall(part, ids.choose(part.id, entry.seq, ++position)) : part);
  }
  return isMessage ? { role: "assistant", parts } : undefined;
}

function showCall(part: CallPart, id: string): CallPart {
  const name = showName(part.name);
  return name === part.name && id === part.id ? part : { ...part, name, id };
}

/** A result as one line: how the call ended, and where its output can be had. */
export function describePruned({ name, failed, code, artifactId }: ResultEntry, input: string): string {
  const how = failed ? `failed${code === undefined ? "" : ` with ${code}`}` : "came off";
  const output = artifactId === undefined ? "" : `; artifact_read has it as ${artifactId}`;
  return `(${name} ${cutHead(input, 200)} ${how}. Its output is left out here${output}.)`;
}

/** The name of a tool in a form that all APIs take. Models make up names, and an API then refuses each later request. */
function showName(name: string): string {
  return nameForm.test(name) ? name : name.replaceAll(/[^\w-]/g, "_").slice(0, longest.name) || "_";
}

/** The most characters that every API takes. */
const longest = { name: 64, id: 40 } as const;
const nameForm = new RegExp(`^[\\w-]{1,${longest.name}}$`);
const idForm = new RegExp(`^[\\w-]{1,${longest.id}}$`);

/** Ids of calls as the view has them: the model's own, unless it is empty, used before or not of a form that all APIs take. */
class CallIds {
  readonly #used = new Set<string>();

  choose(id: string, seq: number, position: number): string {
    const chosen = idForm.test(id) && !this.#used.has(id) ? id : this.#make(seq, position);
    this.#used.add(chosen);
    return chosen;
  }

  /** Nine letters and digits: some APIs take no others. */
  #make(seq: number, position: number): string {
    const id = `c${seq.toString(36).padStart(5, "0")}${position.toString(36).padStart(3, "0")}`;
    return this.#used.has(id) ? this.#make(seq, position + 100) : id;
  }
}
