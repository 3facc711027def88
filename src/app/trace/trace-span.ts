/** `person`: a call waited for an answer. `turn`: it waited for its locks and its slot. */
export const traceKinds = ["run", "model", "call", "person", "turn"] as const;

/** One of {@link traceKinds}. */
export type TraceKind = (typeof traceKinds)[number];

/** A span of time: a run, a request to a model, a call of a tool, or a wait of a call; with all that it led to. */
export interface TraceSpan {
  readonly kind: TraceKind;
  readonly id: string;
  /** The agent of a run, the model of a request, the tool of a call, the person or the turn that was waited for. */
  readonly name: string;
  /** The state of a run, a call or a question; of a request `completed`, `failed` or `started`. */
  readonly state: string;
  /** Unix ms. */
  readonly startedAt: number;
  /** Unix ms; undefined for what is under way. */
  readonly endedAt: number | undefined;
  /** The arguments of a call, the purpose and step of a request, the question that was waited for. */
  readonly about: string;
  /** The code of what went wrong; why a run is in its state. */
  readonly code: string | undefined;
  /** Input and output of a request. */
  readonly tokens: number | undefined;
  /** Whole micro-USD of a request whose cost is known. */
  readonly costMicros: number | undefined;
  /** What it led to, in the order in which each began. */
  readonly spans: readonly TraceSpan[];
}
