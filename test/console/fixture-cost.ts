import type { ConsoleApi } from "../../src/server/console/api/index.ts";
import { day, hostile } from "./fixture-data.ts";

type Cost = ConsoleApi["GET /cost"]["answer"];
type Total = Cost["total"];
type CallCount = Cost["byTool"][number];

function createTotal(keys: Partial<Total>, calls: number, costMicros: number | null, unpriced = 0): Total {
  const inputTokens = calls * 9000;
  const outputTokens = calls * 410;
  return {
    ...keys,
    calls,
    failed: Math.floor(calls / 40),
    open: 0,
    unpriced,
    estimated: 0,
    ms: calls * 3200,
    inputTokens,
    outputTokens,
    cacheReadTokens: calls * 7000,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    totalTokens: inputTokens + outputTokens,
    costMicros,
    costUsd: costMicros === null ? null : costMicros / 1_000_000,
  };
}

function createCount(value: string, calls: number, failed: number, ms: number, now: number): CallCount {
  return {
    value,
    calls,
    failed,
    stopped: Math.floor(failed / 2),
    p50Ms: ms,
    p95Ms: ms * 6,
    p99Ms: ms * 14,
    lastAt: now,
  };
}

/** The answers of the page Cost and speed. */
export function createCostAnswers(now: number, isEmpty: boolean) {
  const toDay = (before: number) => new Date(now - before * day).toISOString().slice(0, 10);
  const byTool = (share: number) =>
    isEmpty
      ? []
      : [
          createCount("read", 9120 * share, 12, 2, now),
          createCount("bash", 2210 * share, 190, 840, now),
          createCount("fetch_url", 340 * share, 41, 610, now),
          createCount(hostile, 12 * share, 0, 5, now),
        ];
  const byModel = (share: number) =>
    isEmpty
      ? []
      : [
          createTotal({ model: "anthropic/claude" }, 1400 * share, 18_200_000 * share),
          createTotal({ model: "openai/small" }, 600 * share, 1_100_000 * share),
          createTotal({ model: "local/llama" }, 90 * share, null, 90 * share),
        ];
  const total = (share: number) =>
    isEmpty ? createTotal({}, 0, 0) : createTotal({}, 2090 * share, 19_300_000 * share, 90 * share);
  return {
    "GET /cost": ({ query }: { readonly query: URLSearchParams }): Cost => {
      const days = Number(query.get("days") ?? 30);
      const places = Array.from({ length: days }, (_, at) => days - 1 - at);
      return {
        from: toDay(days - 1),
        to: toDay(0),
        days,
        total: total(1),
        byDay: isEmpty
          ? []
          : places
              .filter((before) => before % 6 !== 5)
              .map((before) =>
                createTotal(
                  { day: toDay(before) },
                  40 + ((before * 37) % 60),
                  300_000 + ((before * 7919) % 900) * 1000,
                  before % 9 === 3 ? 4 : 0,
                ),
              ),
        byModel: byModel(1),
        byAgent: isEmpty
          ? []
          : [
              createTotal({ agent: "writer" }, 1900, 18_000_000),
              createTotal({ agent: null }, 190, 1_300_000),
            ],
        byPurpose: isEmpty ? [] : [createTotal({ purpose: "step" }, 2090, 19_300_000, 90)],
        byTool: byTool(1),
        callsByDay: isEmpty
          ? []
          : places.map((before) =>
              createCount(
                String(Math.floor((now - before * day) / day) * day),
                200 + ((before * 53) % 300),
                (before * 5) % 40,
                3 + (before % 7),
                now,
              ),
            ),
        budgets: isEmpty
          ? []
          : [
              {
                agent: undefined,
                limits: { usd: 5 },
                spent: { usd: 1.28, tokens: 410_000, steps: 44, minutes: 12 },
                left: 0.744,
                unpricedModels: ["local/llama"],
              },
              {
                agent: "writer",
                limits: { usd: 1, tokens: 500_000 },
                spent: { usd: 1.02, tokens: 410_000, steps: 40, minutes: 11 },
                left: 0,
                unpricedModels: [],
              },
            ],
      };
    },
    "GET /cost/span": ({
      query,
    }: {
      readonly query: URLSearchParams;
    }): ConsoleApi["GET /cost/span"]["answer"] => {
      const share = Number(query.get("until")) > now ? 2 : 1;
      return { total: total(share), byModel: byModel(share), byAgent: [], byTool: byTool(share) };
    },
  };
}
