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
import { type AskedCall, listCallParts, listCalls } from "./read-run.ts";

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
  readonly #results = new Map<string, ResultEntry & Entry>();
  readonly #messages: ChatMessage[] = [];
  /** Answers with calls, by the ids of those calls. */
  readonly #asking = new Map<string, AskingAnswer[]>();
  /** Answers with results that came since their message was made. */
  readonly #changed = new Set<AskingAnswer>();
  /** Parts of the next user message. */
  #parts: UserMessage["parts"][number][] = [];

  constructor(wholeFrom: number) {
    this.#wholeFrom = wholeFrom;
  }

  add(entry: Entry): void {
    if (entry.kind === "answer") return this.#addAnswer(entry);
    if (entry.kind !== "result") return void this.#parts.push(...toParts(entry));
    this.#results.set(entry.callId, entry);
    for (const answer of this.#asking.get(entry.callId) ?? []) this.#changed.add(answer);
  }

  /** The messages as a new list. Messages that have not changed are the same objects as before. */
  messages(): readonly ChatMessage[] {
    for (const answer of this.#changed) this.#messages[answer.at] = this.#showResults(answer);
    this.#changed.clear();
    const parts = this.#nextParts();
    return parts.length === 0
      ? this.#messages.slice()
      : [...this.#messages, { role: "user", parts: parts.slice() }];
  }

  #addAnswer(entry: AnswerEntry & Entry): void {
    const message = showAnswer(entry, this.#ids);
    if (message === undefined) return;
    const parts = this.#nextParts();
    if (parts.length > 0) this.#messages.push({ role: "user", parts: parts });
    this.#parts = [];
    this.#messages.push(message);
    const shown = listCallParts(message.parts);
    if (shown.length === 0) return;
    const asked = listCalls(entry, entry.runId);
    const answer = { at: this.#messages.length, shown, asked };
    this.#messages.push({ role: "tool", results: [] });
    this.#changed.add(answer);
    for (const { callId } of asked) {
      const others = this.#asking.get(callId);
      if (others === undefined) this.#asking.set(callId, [answer]);
      else others.push(answer);
    }
  }

  /**
   * The parts of the next user message; not empty unless results come right before, since an answer has to follow
   * either.
   */
  #nextParts(): UserMessage["parts"][number][] {
    return this.#parts.length === 0 && this.#messages.at(-1)?.role !== "tool" ? [goOn] : this.#parts;
  }

  #showResults({ shown, asked }: AskingAnswer): ToolResultMessage {
    const results = shown.map(({ id, name, input }, at) => {
      const result = this.#results.get(asked[at]?.callId ?? "");
      if (result === undefined) return { callId: id, name, text: "There is no result.", failed: true };
      const { failed, images = [], text } = result;
      if (result.seq < this.#wholeFrom)
        return { callId: id, name, text: describePruned(result, input), failed };
      return {
        callId: id,
        name,
        text: text.trim() === "" ? "(no output)" : text,
        failed,
        ...(images.length > 0 && { images }),
      };
    });
    return { role: "tool", results };
  }
}

/** An answer with calls. */
interface AskingAnswer {
  /** The place of its results among the messages. */
  readonly at: number;
  /** Its calls as they are shown. */
  readonly shown: readonly CallPart[];
  /** The same calls, as they are made. */
  readonly asked: readonly AskedCall[];
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
  const parts = entry.message.parts.flatMap((part): AssistantMessage["parts"][number][] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [part];
    if (part.type !== "call") return [part];
    position++;
    return [{ ...part, name: showName(part.name), id: ids.choose(part.id, entry.seq, position) }];
  });
  // A thought alone is no message.
  return parts.some(({ type }) => type !== "reasoning") ? { role: "assistant", parts } : undefined;
}

/** A result as one line: how the call ended, and where its output can be had. */
export function describePruned({ name, failed, code, artifactId }: ResultEntry, input: string): string {
  const how = failed ? `failed${code === undefined ? "" : ` with ${code}`}` : "came off";
  const output = artifactId === undefined ? "" : `; artifact_read has it as ${artifactId}`;
  return `(${name} ${cutHead(input, 200)} ${how}. Its output is left out here${output}.)`;
}

/** The name of a tool in a form that all APIs take. Models make up names, and an API then refuses each later request. */
function showName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_").slice(0, longest.name) || "_";
}

/** The most characters that every API takes. */
const longest = { name: 64, id: 40 } as const;
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
