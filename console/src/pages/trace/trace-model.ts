import { showInvisible } from "../../../../src/base/index.ts";
import type { AnswerTo } from "../../net/api.ts";

export type TraceColumns = AnswerTo<"GET /trace/:id">;
export type SpanKind = TraceColumns["kinds"][number];

/** One span as the page shows it. Places are places in the columns. */
export interface Span {
  readonly place: number;
  /** The place of the span that led to it; −1 for the outermost. */
  readonly parent: number;
  readonly depth: number;
  readonly kind: SpanKind;
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly code: string | undefined;
  readonly about: string;
  /** Ms after the trace began. */
  readonly from: number;
  /** Ms after the trace began; the end of the trace for what is under way. */
  readonly to: number;
  readonly underWay: boolean;
  readonly tokens: number | undefined;
  readonly costMicros: number | undefined;
  readonly critical: boolean;
}

/** What all spans of a trace come to. */
export interface Totals {
  readonly ms: number;
  readonly spans: number;
  readonly failed: number;
  readonly tokens: number;
  readonly costMicros: number;
  /** Requests to models whose cost nobody knows. */
  readonly unpriced: number;
  /** Sums over spans, which may have run beside each other. */
  readonly byKind: ReadonlyMap<SpanKind, { readonly spans: number; readonly ms: number }>;
}

/** A trace that spans can be read from, in the order of a walk from the outermost span. */
export class Trace {
  readonly columns: TraceColumns;
  readonly count: number;
  /** Ms from its beginning to its end. */
  readonly ms: number;
  readonly underWay: boolean;
  readonly depths: Uint32Array;
  readonly #critical: ReadonlySet<number>;

  constructor(columns: TraceColumns) {
    this.columns = columns;
    this.count = columns.id.length;
    this.ms = Math.max(1, columns.to - columns.from);
    this.underWay = columns.took.includes(-1);
    this.#critical = new Set(columns.critical);
    this.depths = new Uint32Array(this.count);
    columns.parent.forEach((parent, place) => {
      this.depths[place] = parent < 0 ? 0 : (this.depths[parent] ?? 0) + 1;
    });
  }

  getFrom(place: number): number {
    return this.columns.at[place] ?? 0;
  }

  getTo(place: number): number {
    const took = this.columns.took[place] ?? 0;
    return took < 0 ? this.ms : this.getFrom(place) + took;
  }

  isCritical(place: number): boolean {
    return this.#critical.has(place);
  }

  getSpan(place: number): Span {
    const { columns } = this;
    const word = (column: readonly number[]) => {
      const at = column[place] ?? -1;
      return at < 0 ? undefined : columns.words[at];
    };
    const known = (column: readonly number[]) => {
      const value = column[place] ?? -1;
      return value < 0 ? undefined : value;
    };
    return {
      place,
      parent: columns.parent[place] ?? -1,
      depth: this.depths[place] ?? 0,
      kind: columns.kinds[columns.kind[place] ?? 0] ?? "call",
      id: columns.id[place] ?? "",
      name: word(columns.name) ?? "",
      state: word(columns.state) ?? "",
      code: word(columns.code),
      about: word(columns.about) ?? "",
      from: this.getFrom(place),
      to: this.getTo(place),
      underWay: columns.took[place] === -1,
      tokens: known(columns.tokens),
      costMicros: known(columns.costMicros),
      critical: this.isCritical(place),
    };
  }

  findPlace(id: string): number {
    return this.columns.id.indexOf(id);
  }

  /** The first span that this one led to; −1 if it led to none. */
  findInner(place: number): number {
    return this.columns.parent[place + 1] === place ? place + 1 : -1;
  }

  /** The places of all spans, or of those on the critical path. */
  listPlaces(criticalAlone: boolean): readonly number[] {
    if (criticalAlone) return [...this.#critical].toSorted((a, b) => a - b);
    return Array.from({ length: this.count }, (_, place) => place);
  }

  sum(): Totals {
    const byKind = new Map<SpanKind, { spans: number; ms: number }>();
    const failed = this.columns.words.indexOf("failed");
    const totals = { failed: 0, tokens: 0, costMicros: 0, unpriced: 0 };
    for (let place = 0; place < this.count; place++) {
      const kind = this.columns.kinds[this.columns.kind[place] ?? 0] ?? "call";
      const sum = byKind.get(kind) ?? { spans: 0, ms: 0 };
      sum.spans++;
      sum.ms += this.getTo(place) - this.getFrom(place);
      byKind.set(kind, sum);
      if (failed >= 0 && this.columns.state[place] === failed) totals.failed++;
      totals.tokens += Math.max(0, this.columns.tokens[place] ?? 0);
      const cost = this.columns.costMicros[place] ?? -1;
      if (cost >= 0) totals.costMicros += cost;
      else if (kind === "model") totals.unpriced++;
    }
    return { ms: this.ms, spans: this.count, byKind, ...totals };
  }
}

export const kindWords: Readonly<Record<SpanKind, string>> = {
  run: "run of an agent",
  model: "request to a model",
  call: "call of a tool",
  person: "wait for a person",
  turn: "wait for its turn",
};

/** The name of a span, with what would not be seen written out. */
export function nameSpan({ kind, name }: Span): string {
  const shown = showInvisible(name);
  if (kind === "person") return `waits for ${shown}`;
  return kind === "turn" ? "waits for its turn" : shown;
}
