import { parseJson } from "../../base/index.ts";
import type { Seen, SeenText } from "../../kernel/index.ts";
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
  const fresh = entries.filter(({ seq }) => seq > options.upTo);
  const calls = new SeenArguments(entries, options);
  return fresh.flatMap((entry): readonly Seen[] => {
    switch (entry.kind) {
      case "user":
        return toMessages(entry);
      case "result":
        return options.made.has(entry.callId) ? [] : [...calls.before(entry), toResult(entry)];
      case "note":
        return entry.about === "tools" ? [] : [toText(entry)];
      case "summary":
        return [toText(entry)];
      case "answer":
      case "parked":
      case "interrupt":
      case "prune":
        return [];
      default:
        return entry satisfies never;
    }
  });
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
  readonly #told = new Set<AnswerEntry>();
  #found: ReadonlyMap<string, AnswerEntry & Entry> | undefined;
  #outcomes: ReadonlyMap<string | undefined, Outcome> | undefined;

  constructor(entries: readonly Entry[], options: SeenOptions) {
    this.#entries = entries;
    this.#options = options;
  }

  /** The arguments of all calls of a result's answer, at the first of its results. */
  before({ callId }: ResultEntry): readonly Seen[] {
    this.#found ??= findAnswers(this.#entries);
    const answer = this.#found.get(callId);
    if (answer === undefined || this.#told.has(answer)) return [];
    this.#told.add(answer);
    return listCalls(answer, answer.runId)
      .filter((call) => this.#wasTraced(call))
      .map(({ callId: id, name, input }) => {
        const params = this.#options.readArguments(name, readInput(input));
        return { kind: "call", callId: id, toolName: name, params, trust: answer.trust };
      });
  }

  #wasTraced({ callId }: AskedCall): boolean {
    this.#outcomes ??= findOutcomes(this.#entries);
    const outcome = this.#outcomes.get(callId);
    if (outcome === undefined || outcome.seq <= this.#options.upTo || this.#options.made.has(callId))
      return false;
    return (
      outcome.kind === "parked" ||
      !outcome.failed ||
      (outcome.code !== undefined && !untraced.has(outcome.code))
    );
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

function findAnswers(entries: readonly Entry[]): ReadonlyMap<string, AnswerEntry & Entry> {
  return new Map(
    entries.flatMap((entry) =>
      entry.kind === "answer"
        ? listCalls(entry, entry.runId).map(({ callId }) => [callId, entry] as const)
        : [],
    ),
  );
}

type Outcome = (ResultEntry | ParkedEntry) & Entry;

/** The result of each call, or that it waits for one: the gate has traced its arguments in either case. */
function findOutcomes(entries: readonly Entry[]): ReadonlyMap<string | undefined, Outcome> {
  return new Map(entries.filter(isOutcome).map((entry) => [entry.callId, entry]));
}

function isOutcome(entry: Entry): entry is Outcome {
  return entry.kind === "result" || entry.kind === "parked";
}

/** The gate repairs invalid JSON, or says what is wrong with it. An empty text means no arguments. */
export function readInput(input: string): unknown {
  return input.trim() === "" ? {} : (parseJson(input) ?? input);
}
