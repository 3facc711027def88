import type { AgentEvent, Result } from "./types.ts";

/** What an answer has said so far, and how far its run is. */
export interface LiveAnswer {
  readonly text: string;
  readonly thoughts: string;
  readonly step: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  /** A request whose price nobody knows was made. */
  readonly unpriced: boolean;
  /** Calls that run, by their ids. */
  readonly calls: readonly { readonly callId: string; readonly name: string }[];
  /** Results of calls, some of which no entry has yet: those of one step are written together. */
  readonly results: ReadonlyMap<string, Result>;
  /** The last thing worth telling: a request that is made again, or how the run ended. */
  readonly note: string | undefined;
}

export const noAnswer: LiveAnswer = {
  text: "",
  thoughts: "",
  step: 0,
  inputTokens: 0,
  outputTokens: 0,
  costMicros: 0,
  unpriced: false,
  calls: [],
  results: new Map(),
  note: undefined,
};

/** Kinds of events after which the session has entries that are not shown yet. */
const settling: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  "run.began",
  "answer.ended",
  "call.ended",
  "call.parked",
  "message.taken",
  "compacted",
  "note",
  "run.ended",
]);

export function isSettling({ type }: AgentEvent): boolean {
  return settling.has(type);
}

export function addEvent(live: LiveAnswer, event: AgentEvent): LiveAnswer {
  switch (event.type) {
    case "step.began":
      return { ...live, step: event.step, text: "", thoughts: "", note: undefined };
    case "answer.text":
      return { ...live, text: live.text + event.delta, note: undefined };
    case "answer.reasoning":
      return { ...live, thoughts: live.thoughts + event.delta };
    case "answer.withdrawn":
      return { ...live, text: "", thoughts: "", note: event.why };
    case "request.retried":
      return { ...live, note: `${event.why}; asked again in ${Math.ceil(event.waitMs / 1000)} s` };
    case "answer.ended":
      return {
        ...live,
        text: "",
        thoughts: "",
        step: event.step,
        inputTokens: live.inputTokens + event.usage.inputTokens,
        outputTokens: live.outputTokens + event.usage.outputTokens,
        costMicros: live.costMicros + (event.cost ?? 0),
        unpriced: live.unpriced || event.cost === undefined,
      };
    case "call.began":
      return { ...live, calls: [...live.calls, { callId: event.callId, name: event.name }] };
    case "call.ended":
      return {
        ...live,
        calls: live.calls.filter(({ callId }) => callId !== event.callId),
        results: new Map([...live.results, [event.callId, event.result]]),
      };
    case "call.parked":
      return { ...live, calls: live.calls.filter(({ callId }) => callId !== event.callId) };
    case "run.ended": {
      const { end } = event;
      const note = end.state === "failed" ? `${end.text} (${end.code})` : undefined;
      return { ...live, text: "", thoughts: "", calls: [], note };
    }
    case "run.began":
    case "message.taken":
    case "call.updated":
    case "reply":
    case "note":
    case "compacted":
      return live;
    default:
      event satisfies never;
      return live;
  }
}
