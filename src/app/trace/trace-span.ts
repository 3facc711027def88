/** Kinds of spans. `person`: a call waits for an answer. `turn`: a call waits for its locks and its slot. */
export const traceKinds = ["run", "model", "call", "person", "turn"] as const;

/** One of {@link traceKinds}. */
export type TraceKind = (typeof traceKinds)[number];

/** A run, a request to a model, a call of a tool, or a wait of a call, with all spans that it led to. */
export interface TraceSpan {
  readonly kind: TraceKind;
  readonly id: string;
  /** The agent of a run, the model of a request, the tool of a call, or the person who was waited for. */
  readonly name: string;
  /** The state of a run, call or question. A request is `completed`, `failed` or `started`. */
  readonly state: string;
  /** Unix ms. */
  readonly startedAt: number;
  /** Unix ms; undefined if it has not ended. */
  readonly endedAt: number | undefined;
  /** The arguments of a call, the purpose and step of a request, or the reason of a question. */
  readonly about: string;
  /** The error code, or the reason for the state of a run. */
  readonly code: string | undefined;
  /** Input and output tokens of a request. */
  readonly tokens: number | undefined;
  /** Whole micro-USD of a request whose cost is known. */
  readonly costMicros: number | undefined;
  /** The spans that it led to, in order of their beginning. */
  readonly spans: readonly TraceSpan[];
}
