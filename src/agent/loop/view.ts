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
import { listCallParts, listCalls } from "./read-run.ts";

/**
 * Entries as a model is shown them. The messages suit every API: the first and the last are not the model's, each
 * answer with calls is followed by all of their results, nothing is empty, and no two calls share an id. What is
 * appended to entries whose calls all have results is appended to the messages too, so that the beginning of a request
 * stays as it was; only a summary or a pruning changes it.
 */
export function viewEntries(entries: readonly Entry[]): readonly ChatMessage[] {
  const results = new Map(entries.filter(isResult).map((entry) => [entry.callId, entry]));
  const wholeFrom = findWholeFrom(entries);
  const messages: ChatMessage[] = [];
  const ids = new CallIds();
  let told: UserMessage["parts"][number][] = [];
  const flush = () => {
    if (told.length > 0) messages.push({ role: "user", parts: told });
    told = [];
  };
  for (const entry of entries) {
    if (entry.kind !== "answer") told.push(...toParts(entry));
    else {
      const message = showAnswer(entry, ids);
      if (message === undefined) continue;
      if (told.length === 0 && messages.at(-1)?.role !== "tool") told.push(goOn);
      flush();
      messages.push(message);
      const calls = listCallParts(message.parts);
      if (calls.length > 0) messages.push(showResults(entry, calls, { results, wholeFrom }));
    }
  }
  if (told.length === 0 && messages.at(-1)?.role !== "tool") told.push(goOn);
  flush();
  return messages;
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

interface ShownResults {
  readonly results: ReadonlyMap<string, ResultEntry & Entry>;
  readonly wholeFrom: number;
}

function showResults(
  entry: AnswerEntry & Pick<Entry, "runId">,
  calls: readonly CallPart[],
  { results, wholeFrom }: ShownResults,
): ToolResultMessage {
  const asked = listCalls(entry, entry.runId);
  return {
    role: "tool",
    results: calls.map(({ id, name, input }, at) => {
      const result = results.get(asked[at]?.callId ?? "");
      if (result === undefined) return { callId: id, name, text: "There is no result.", failed: true };
      const { failed, images = [], text } = result;
      if (result.seq < wholeFrom) return { callId: id, name, text: describePruned(result, input), failed };
      return {
        callId: id,
        name,
        text: text.trim() === "" ? "(no output)" : text,
        failed,
        ...(images.length > 0 && { images }),
      };
    }),
  };
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

function isResult(entry: Entry): entry is ResultEntry & Entry {
  return entry.kind === "result";
}
