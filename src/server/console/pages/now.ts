import { formatDay, systemZone } from "../../../base/index.ts";
import type { Now, NowApi } from "../api/index.ts";
import type { ConsoleContext, Handlers } from "../route.ts";
import { notFound, readSegment } from "./input.ts";

const mostRunning = 500;

/** Who cancels a call, in the words of its error. */
const canceller = "a person in the console";

export const nowHandlers: Handlers<NowApi> = {
  "GET /now": async (context, { signal }) => {
    const { app, records, version } = context;
    const { approvals } = await app.store();
    const [running, questions, today] = await Promise.all([
      records.listCalls({ states: ["started"], limit: mostRunning }, signal),
      approvals.list({ state: "pending" }),
      readToday(context, signal),
    ]);
    return {
      version,
      folder: app.folder,
      running: running.rows.toReversed(),
      questions,
      trouble: listTrouble(context),
      today,
    };
  },

  "POST /calls/:id/cancel": async ({ app, records }, request) => {
    const id = readSegment(request, "id");
    if (app.executor.cancel(id, canceller)) return { cancelled: true };
    const call = await records.findCall(id, request.signal);
    if (call === undefined) throw notFound("the call", id, "`haft audit` lists them");
    if (call.state !== "started") return { cancelled: false };
    // Another process of haft makes it, and looks for such requests.
    const { ledger } = await app.store();
    await ledger.requestCancel(id, canceller);
    return { cancelled: true, elsewhere: true };
  },
};

async function readToday({ app, records }: ConsoleContext, signal: AbortSignal): Promise<Now["today"]> {
  const since = systemZone.fromWallTime(Date.parse(formatDay(Date.now(), systemZone)));
  const { usage } = await app.store();
  const [total] = await usage.totals({ scope: app.context.scope ?? "local", since });
  const counts = await records.countCalls({ since }, "state", signal);
  return {
    costMicros: total?.costMicros ?? 0,
    unpriced: total?.unpriced ?? 0,
    calls: counts.reduce((sum, { calls }) => sum + calls, 0),
  };
}

function listTrouble({ app }: ConsoleContext): Now["trouble"] {
  const { sources } = app;
  const servers = (sources.mcp?.health() ?? []).filter(
    ({ status }) => status === "degraded" || status === "failed",
  );
  return [
    ...servers.map(({ server, status, reason }) => ({ source: server, problem: reason ?? status })),
    ...sources.problems().map(({ where, message }) => ({ source: where, problem: message })),
  ];
}
