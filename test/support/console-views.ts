import type { App, AppOptions, CallCount, Records } from "../../src/app/index.ts";
import type { ViewsApi } from "../../src/server/console/api/index.ts";
import { viewHandlers } from "../../src/server/console/pages/view-handlers.ts";
import type { Handler } from "../../src/server/console/route.ts";
import { Installation } from "./installation.ts";

/** What a request brings beside its endpoint. */
export interface ViewRequest {
  readonly segments?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** An installation whose pages can be asked for, as the console's router asks. */
export class ConsoleViews {
  readonly installation: Installation;
  readonly app: App;

  constructor(installation: Installation, app: App) {
    this.installation = installation;
    this.app = app;
  }

  static async open(
    config = "",
    options: Partial<AppOptions> = {},
    installation: Installation = new Installation(),
  ): Promise<ConsoleViews> {
    const { app } = await installation.open(config, options);
    return new ConsoleViews(installation, app);
  }

  /** Answers a request; rejects as its handler does. */
  ask<Key extends keyof ViewsApi>(key: Key, request: ViewRequest = {}): Promise<ViewsApi[Key]["answer"]> {
    const { segments = {}, query = {}, body, signal = new AbortController().signal } = request;
    const handler = viewHandlers[key] as Handler<{ readonly answer: ViewsApi[Key]["answer"] }>;
    return handler(
      { app: this.app, records: countingRecords(this.app), by: "person:console" },
      { segments: new Map(Object.entries(segments)), query: new Map(Object.entries(query)), body, signal },
    );
  }
}

/** Records that count and find calls in the ledger itself. The other methods are not there. */
function countingRecords(app: App): Records {
  const absent = () => Promise.reject(new Error("not asked for by these pages"));
  return {
    listCalls: absent,
    verify: absent,
    follow: () => {
      throw new Error("not asked for by these pages");
    },
    close: async () => {},
    findCall: async (id) => (await app.store()).ledger.show(id),
    trace: async ({ scope, id }, signal = new AbortController().signal) => {
      const { readTrace } = await import("../../src/app/index.ts");
      return readTrace(await app.store(), { scope, id, signal });
    },
    countCalls: async ({ tools, since = 0, until = Number.MAX_SAFE_INTEGER }, by) => {
      const calls = (await (await app.store()).ledger.list({ since, limit: 1000 })).filter(
        ({ toolName, startedAt }) => (tools?.includes(toolName) ?? true) && startedAt < until,
      );
      const name = { tool: "toolName", agent: "agentId", state: "state", code: "code" } as const;
      const field = by in name ? name[by as keyof typeof name] : undefined;
      const groups = Map.groupBy(calls, (call) => (field === undefined ? "" : String(call[field] ?? "")));
      return Array.from(groups, ([value, own]): CallCount => {
        const took = own.flatMap(({ durationMs }) => durationMs ?? []).toSorted((a, b) => a - b);
        const at = (share: number) => took[Math.ceil(took.length * share) - 1];
        const count = (...states: string[]) => own.filter(({ state }) => states.includes(state)).length;
        return {
          value,
          calls: own.length,
          failed: count("failed"),
          stopped: count("denied", "cancelled"),
          p50Ms: at(0.5),
          p95Ms: at(0.95),
          p99Ms: at(0.99),
          lastAt: Math.max(...own.map(({ startedAt }) => startedAt)),
        };
      });
    },
  };
}
