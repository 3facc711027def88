import type { ConsoleApi } from "../../src/server/console/api/index.ts";
import { hostile } from "./fixture-data.ts";

type TraceColumns = ConsoleApi["GET /trace/:id"]["answer"];

interface FixtureSpan {
  readonly kind: TraceColumns["kinds"][number];
  readonly id: string;
  readonly parent: number;
  readonly name: string;
  readonly state?: string;
  readonly code?: string;
  readonly about?: string;
  readonly at: number;
  readonly took: number;
  readonly tokens?: number;
  readonly costMicros?: number;
}

const kinds = ["run", "model", "call", "person", "turn"] as const;

function toColumns(spans: readonly FixtureSpan[], from: number, critical: readonly number[]): TraceColumns {
  const words: string[] = [];
  const add = (text = "") => {
    if (text === "") return -1;
    if (!words.includes(text)) words.push(text);
    return words.indexOf(text);
  };
  return {
    from,
    to: from + Math.max(...spans.map(({ at, took }) => at + Math.max(took, 0))),
    kinds,
    id: spans.map(({ id }) => id),
    parent: spans.map(({ parent }) => parent),
    kind: spans.map(({ kind }) => kinds.indexOf(kind)),
    name: spans.map(({ name }) => add(name)),
    state: spans.map(({ state = "completed" }) => add(state)),
    code: spans.map(({ code }) => add(code)),
    about: spans.map(({ about }) => add(about)),
    at: spans.map(({ at }) => at),
    took: spans.map(({ took }) => took),
    tokens: spans.map(({ tokens = -1 }) => tokens),
    costMicros: spans.map(({ costMicros = -1 }) => costMicros),
    words,
    critical,
  };
}

function createRun(from: number): TraceColumns {
  return toColumns(
    [
      { kind: "run", id: "r_1", parent: -1, name: "writer", about: "3 steps", at: 0, took: 92_000 },
      {
        kind: "model",
        id: "m_1",
        parent: 0,
        name: "anthropic/claude",
        about: "step 1",
        at: 20,
        took: 4200,
        tokens: 12_840,
        costMicros: 41_000,
      },
      {
        kind: "call",
        id: "c_3997",
        parent: 0,
        name: "run_script",
        about: `{"code":"${hostile}"}`,
        at: 4300,
        took: 71_000,
      },
      { kind: "turn", id: "c_3997.turn", parent: 2, name: "its turn", at: 4300, took: 3000 },
      { kind: "call", id: "c_3995", parent: 2, name: "read", at: 7400, took: 900 },
      { kind: "call", id: "c_3993", parent: 2, name: "search", at: 7450, took: 5200 },
      {
        kind: "call",
        id: "c_3991",
        parent: 2,
        name: "bash",
        state: "failed",
        code: "EXIT_CODE",
        about: '{"command":"npm test"}',
        at: 12_700,
        took: 62_500,
      },
      {
        kind: "person",
        id: "q_1",
        parent: 6,
        name: "person:console",
        state: "approved",
        about: "no rule allows it",
        at: 12_800,
        took: 41_000,
      },
      {
        kind: "model",
        id: "m_2",
        parent: 0,
        name: "local/small",
        about: "step 2",
        at: 75_400,
        took: 16_500,
        tokens: 900,
      },
    ],
    from,
    [1, 3, 5, 7, 6, 2, 8, 0],
  );
}

/** A trace of so many calls beside and below each other. */
function createLong(from: number, count: number): TraceColumns {
  const inner = Array.from({ length: count - 1 }, (_, at) => ({
    kind: "call" as const,
    id: `c_${at}`,
    parent: at % 4 === 0 ? 0 : at - (at % 4) + 1,
    name: at % 4 === 0 ? "run_chain" : "read",
    at: at * 10,
    took: at % 4 === 0 ? 45 : 8,
  }));
  return toColumns(
    [{ kind: "run", id: "r_long", parent: -1, name: "writer", at: 0, took: count * 10 + 50 }, ...inner],
    from,
    [0],
  );
}

/** The answers of the page Trace. */
export function createTraceAnswers(now: number, isEmpty: boolean) {
  return {
    "GET /trace/:id": ({ segments: [id = ""] }: { readonly segments: readonly string[] }): TraceColumns => {
      if (isEmpty || id === "c_none") return undefined as never;
      if (id === "r_long") return createLong(now - 1_000_000, 100_000);
      if (id === "c_1")
        return toColumns([{ kind: "call", id: "c_1", parent: -1, name: "read", at: 0, took: 12 }], now, [0]);
      return createRun(now - 3_600_000);
    },
  };
}
