import { type TraceKind, type TraceSpan, traceKinds } from "./trace-span.ts";

/**
 * A trace as columns: one number or text a span in each, in the order of a walk from the outermost span. Texts that
 * come again are numbers of `words`. −1 stands for what is not there.
 */
export interface TraceColumns {
  /** Unix ms: when the first span began. */
  readonly from: number;
  /** Unix ms: when the last one ended, or when this was asked. */
  readonly to: number;
  readonly kinds: readonly TraceKind[];
  readonly words: readonly string[];
  readonly id: readonly string[];
  /** The place of the span that led to this one. */
  readonly parent: readonly number[];
  /** A place in `kinds`. */
  readonly kind: readonly number[];
  /** Places in `words`. */
  readonly name: readonly number[];
  readonly state: readonly number[];
  readonly code: readonly number[];
  readonly about: readonly number[];
  /** Ms after `from`. */
  readonly at: readonly number[];
  /** Ms; −1 for what is under way. */
  readonly took: readonly number[];
  readonly tokens: readonly number[];
  readonly costMicros: readonly number[];
  /** The spans without which the whole would have ended sooner, in the order in which they ended. */
  readonly critical: readonly number[];
}

/** A word more than so long is cut: the page of a call has all of it. */
const mostWordChars = 120;

/** Turns a trace into columns. @param now the end of what is under way, in Unix ms */
export function toTraceColumns(trace: TraceSpan, now: number): TraceColumns {
  const { spans, parent } = flatten(trace);
  let from = trace.startedAt;
  let to = trace.startedAt + 1;
  for (const { startedAt, endedAt = now } of spans) {
    from = Math.min(from, startedAt);
    to = Math.max(to, endedAt);
  }
  const words = new Words();
  const columns = {
    id: spans.map(({ id }) => id),
    parent,
    kind: spans.map(({ kind }) => traceKinds.indexOf(kind)),
    name: spans.map(({ name }) => words.add(name)),
    state: spans.map(({ state }) => words.add(state)),
    code: spans.map(({ code }) => (code === undefined ? -1 : words.add(code))),
    about: spans.map(({ about }) => (about === "" ? -1 : words.add(about))),
    at: spans.map(({ startedAt }) => startedAt - from),
    took: spans.map(({ startedAt, endedAt }) => (endedAt === undefined ? -1 : endedAt - startedAt)),
    tokens: spans.map(({ tokens }) => tokens ?? -1),
    costMicros: spans.map(({ costMicros }) => costMicros ?? -1),
  };
  return {
    from,
    to,
    kinds: traceKinds,
    words: words.list,
    ...columns,
    critical: findCritical(spans, parent, now),
  };
}

interface Flat {
  readonly spans: readonly TraceSpan[];
  readonly parent: readonly number[];
}

function flatten(trace: TraceSpan): Flat {
  const spans: TraceSpan[] = [];
  const parent: number[] = [];
  const waiting: [span: TraceSpan, parent: number][] = [[trace, -1]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [span, above] = next;
    const place = spans.push(span) - 1;
    parent.push(above);
    for (const inner of span.spans.toReversed()) waiting.push([inner, place]);
  }
  return { spans, parent };
}

class Words {
  readonly list: string[] = [];
  readonly #places = new Map<string, number>();

  add(text: string): number {
    const word = text.length > mostWordChars ? `${text.slice(0, mostWordChars)}…` : text;
    const known = this.#places.get(word);
    if (known !== undefined) return known;
    const place = this.list.push(word) - 1;
    this.#places.set(word, place);
    return place;
  }
}

/**
 * Walks back from the end: of the spans within a span the one that ended last held it up, before that one began the one
 * that had ended last by then, and so on; the same within each of these.
 */
function findCritical(spans: readonly TraceSpan[], parent: readonly number[], now: number): number[] {
  const inner = new Map<number, number[]>();
  parent.forEach((above, place) => {
    const own = inner.get(above);
    if (own === undefined) inner.set(above, [place]);
    else own.push(place);
  });
  const getEnd = (place: number) => spans[place]?.endedAt ?? now;
  const getStart = (place: number) => spans[place]?.startedAt ?? 0;
  const critical: number[] = [];
  const waiting: [place: number, until: number][] = [[0, getEnd(0)]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [place, until] = next;
    critical.push(place);
    let cursor = until;
    const byEnd = (inner.get(place) ?? []).toSorted((a, b) => getEnd(b) - getEnd(a));
    for (const one of byEnd) {
      if (getEnd(one) > cursor || (getEnd(one) === cursor && getStart(one) === cursor)) continue;
      waiting.push([one, getEnd(one)]);
      cursor = getStart(one);
    }
  }
  return critical.toSorted((a, b) => getEnd(a) - getEnd(b) || b - a);
}
