import { listCalls } from "../../agent/index.ts";
import { cutHead, dataLines } from "../../base/index.ts";
import { charsPerToken, countTokens } from "../../model/index.ts";
import type { Entry, Run } from "../../modules/sessions/index.ts";
import type { KnownMemory } from "./known-memory.ts";

/** What a message about a task is made of. */
export interface ReflectedTask {
  readonly run: Pick<Run, "id" | "agentId" | "state" | "why" | "steps" | "result">;
  /** The entries of the run. */
  readonly entries: readonly Entry[];
  readonly known: KnownMemory;
  /** The most tokens of the message. */
  readonly tokens: number;
}

/** Shares of the tokens for the task's texts, the facts and the index. The calls get the rest. */
const shares = { asked: 0.15, result: 0.2, facts: 0.35, episodes: 0.1 } as const;
/** Tokens of the marks and sentences around the data. */
const frameTokens = 120;
const mostInputChars = 200;
const mostResultChars = 200;
const mostFailureChars = 400;

/** Writes what a task was, how it went and what is remembered already, within the given tokens. */
export function writeReflectionMessage({ run, entries, known, tokens }: ReflectedTask): string {
  const room = Math.max(0, tokens - frameTokens);
  const task = {
    agent: run.agentId,
    asked: cutTo(readAsked(entries), room * shares.asked),
    ended: run.why === undefined ? run.state : `${run.state} (${run.why})`,
    steps: run.steps,
    result: cutTo(run.result ?? "", room * shares.result),
  };
  const facts = fit(known.facts, room * shares.facts);
  const episodes = fit(known.episodes, room * shares.episodes);
  const rest = room - [task, ...facts, ...episodes].reduce((sum, line) => sum + cost(line), 0);
  // The newest calls tell most about how it ended.
  const calls = fit(listOutcomes(run.id, entries).toReversed(), rest).toReversed();
  return [
    "A task has ended.",
    dataLines("task", [task]),
    dataLines("calls", calls),
    "This is remembered already: facts in full, then the names of what else there is.",
    dataLines("facts", facts),
    dataLines("episodes", episodes),
    known.untrusted === 0
      ? "Look back at the task, and keep what is worth it."
      : `Beside these there are ${known.untrusted} entries from outside. Look back at the task, and keep what is worth it.`,
  ].join("\n");
}

function readAsked(entries: readonly Entry[]): string {
  return entries
    .flatMap((entry) => (entry.kind === "user" ? entry.parts : []))
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");
}

/** One line for each call: what was called, and how it ended. */
function listOutcomes(runId: string, entries: readonly Entry[]): readonly object[] {
  const inputs = new Map<string, string>();
  for (const entry of entries)
    if (entry.kind === "answer")
      for (const { callId, input } of listCalls(entry, runId)) inputs.set(callId, input);
  return entries.flatMap((entry): readonly object[] => {
    if (entry.kind !== "result") return [];
    const { callId, name, text, failed, code } = entry;
    return [
      {
        tool: name,
        input: cutHead(inputs.get(callId) ?? "", mostInputChars),
        ...(failed && { failed: code ?? true }),
        result: cutHead(text, failed ? mostFailureChars : mostResultChars),
      },
    ];
  });
}

function cutTo(text: string, tokens: number): string {
  return cutHead(text, Math.floor(tokens * charsPerToken));
}

/** The first lines that fit, and a line that counts the others. */
function fit(lines: readonly object[], tokens: number): readonly object[] {
  const kept: object[] = [];
  let left = tokens;
  for (const line of lines) {
    left -= cost(line);
    if (left < 0) return [...kept, { leftOut: lines.length - kept.length }];
    kept.push(line);
  }
  return kept;
}

function cost(line: object): number {
  return countTokens(JSON.stringify(line)) + 1;
}
