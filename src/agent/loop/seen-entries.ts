import { parseJson } from "../../base/index.ts";
import type { Seen, SeenCall, SeenText, Trust } from "../../kernel/index.ts";
import type {
  AnswerEntry,
  Entry,
  NoteEntry,
  ParkedEntry,
  ResultEntry,
  SummaryEntry,
  UserEntry,
} from "../../modules/sessions/index.ts";
import { type AskedCall, listCalls } from "./read-run.ts";

/** Which entries are told, and how. */
export interface SeenOptions {
  /** Entries up to this `seq` were told before. */
  readonly upTo: number;
  /** Calls whose arguments and results the gate has seen itself. */
  readonly made: ReadonlySet<string>;
  /** The arguments as the tool takes them. */
  readonly readArguments: (toolName: string, given: unknown) => unknown;
}

/**
 * What a model is shown with these entries, as the gate is told it, in their order. Definitions of tools are left out,
 * in notes as in the prefix: a server wrote them, and an address in them is neither the user's nor data of a call.
 */
export function listSeen(entries: readonly Entry[], options: SeenOptions): readonly Seen[] {
  const calls = new SeenArguments(entries, options);
  const seen: Seen[] = [];
  for (const entry of listFresh(entries, options.upTo))
    switch (entry.kind) {
      case "user":
        seen.push(...toMessages(entry));
        break;
      case "result":
        if (!options.made.has(entry.callId)) seen.push(...calls.before(entry), toResult(entry));
        break;
      case "note":
        if (entry.about !== "tools") seen.push(toText(entry));
        break;
      case "summary":
        seen.push(toText(entry));
        break;
      case "answer":
      case "parked":
      case "interrupt":
      case "prune":
        break;
      default:
        entry satisfies never;
    }
  return seen;
}

/** The entries after `upTo`, which are the newest, and a new summary, which comes before older ones. */
function listFresh(entries: readonly Entry[], upTo: number): readonly Entry[] {
  const from = entries.findLastIndex(({ seq }) => seq <= upTo) + 1;
  const fresh = entries.slice(from);
  const [first] = entries;
  return from > 0 && first !== undefined && first.seq > upTo ? [first, ...fresh] : fresh;
}

function toMessages({ sender = "user", parts, seq, trust }: UserEntry & Entry): readonly Seen[] {
  return parts.flatMap((part): readonly Seen[] =>
    part.type === "text"
      ? [{ kind: "message", callId: `message ${seq}`, toolName: sender, text: part.text, trust }]
      : [],
  );
}

function toText(entry: (NoteEntry | SummaryEntry) & Entry): SeenText {
  const { kind, seq, text, trust, private: isPrivate } = entry;
  return {
    kind: "text",
    callId: `${kind} ${seq}`,
    toolName: kind === "note" ? entry.about : "what came before",
    text,
    trust,
    private: isPrivate,
    ...(kind === "summary" && entry.hosts !== undefined && { hosts: entry.hosts }),
  };
}

function toResult({ callId, name, text, trust, private: isPrivate, hosts }: ResultEntry & Entry): SeenText {
  const seen = { kind: "text", callId, toolName: name, text, trust, private: isPrivate } as const;
  return hosts === undefined ? seen : { ...seen, hosts };
}

/** The gate traced the arguments of all calls of an answer before it had the first result. */
class SeenArguments {
  readonly #entries: readonly Entry[];
  readonly #options: SeenOptions;
  #told: Set<AnswerEntry> | undefined;
  #traces: CallTraces | undefined;

  constructor(entries: readonly Entry[], options: SeenOptions) {
    this.#entries = entries;
    this.#options = options;
  }

  /** The arguments of all calls of a result's answer, at the first of its results. */
  before({ callId }: ResultEntry): readonly Seen[] {
    this.#traces ??= findTraces(this.#entries);
    const { answers, outcomes } = this.#traces;
    const answer = answers.get(callId);
    this.#told ??= new Set();
    if (answer === undefined || this.#told.has(answer)) return [];
    this.#told.add(answer);
    return listCalls(answer, answer.runId)
      .filter((call) => this.#wasTraced(outcomes.get(call.callId)))
      .map((call) => new PastArguments(call, answer.trust, this.#options));
  }

  #wasTraced(outcome: Outcome | undefined): boolean {
    if (outcome?.callId === undefined) return false;
    if (outcome.seq <= this.#options.upTo || this.#options.made.has(outcome.callId)) return false;
    return (
      outcome.kind === "parked" ||
      !outcome.failed ||
      (outcome.code !== undefined && !untraced.has(outcome.code))
    );
  }
}

/**
 * The arguments of a call of the past. They are parsed when the gate reads them: of a long conversation it needs the
 * newest.
 */
class PastArguments implements SeenCall {
  readonly kind = "call";
  readonly callId: string;
  readonly toolName: string;
  readonly trust: Trust;
  readonly #input: string;
  readonly #readArguments: SeenOptions["readArguments"];

  constructor(
    { callId, name, input }: AskedCall,
    trust: Trust,
    { readArguments }: Pick<SeenOptions, "readArguments">,
  ) {
    this.callId = callId;
    this.toolName = name;
    this.trust = trust;
    this.#input = input;
    this.#readArguments = readArguments;
  }

  get params(): unknown {
    return this.#readArguments(this.toolName, readInput(this.#input));
  }
}

/** Codes of calls that end before the gate traces their arguments. */
const untraced: ReadonlySet<string> = new Set([
  "TOOL_NOT_FOUND",
  "TOOL_NOT_AVAILABLE",
  "TOOL_NOT_CALLABLE",
  "TOOL_QUARANTINED",
  "TOOL_VALIDATION",
]);

type Outcome = (ResultEntry | ParkedEntry) & Entry;

/** The calls of a list of entries, by their ids. */
interface CallTraces {
  readonly answers: ReadonlyMap<string, AnswerEntry & Entry>;
  /** The result of each call, or that it waits for one: the gate has traced its arguments in either case. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

function findTraces(entries: readonly Entry[]): CallTraces {
  const answers = new Map<string, AnswerEntry & Entry>();
  const outcomes = new Map<string, Outcome>();
  for (const entry of entries) {
    if (entry.kind === "answer")
      for (const { callId } of listCalls(entry, entry.runId)) answers.set(callId, entry);
    else if ((entry.kind === "result" || entry.kind === "parked") && entry.callId !== undefined)
      outcomes.set(entry.callId, entry);
  }
  return { answers, outcomes };
}

/** The gate repairs invalid JSON, or says what is wrong with it. An empty text means no arguments. */
export function readInput(input: string): unknown {
  return input.trim() === "" ? {} : (parseJson(input) ?? input);
}
