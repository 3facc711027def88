import type { App } from "../../../app/index.ts";
import { inboxOrders, type Session } from "../../../modules/sessions/index.ts";
import type { ChatApi, Endpoint } from "../api/index.ts";
import type { ConsoleContext, ConsoleRequest, Handlers } from "../route.ts";
import { notFound, readInput, readSegment, readWhole } from "./input.ts";
import { LiveRuns } from "./live-runs.ts";
import { readMessage, sentFilesSchema } from "./sent-files.ts";

const text = { type: "string", minLength: 1, maxLength: 200_000 } as const;
const files = sentFilesSchema;
const word = { type: "string", minLength: 1, maxLength: 200 } as const;
const said = {
  type: "object",
  properties: { text, files, sessionId: word, agent: word, model: word },
  additionalProperties: false,
} as const;
const steered = {
  type: "object",
  properties: { text, files, how: { enum: inboxOrders } },
  additionalProperties: false,
} as const;
const forked = {
  type: "object",
  properties: { upTo: { type: "integer", minimum: 1 } },
  additionalProperties: false,
} as const;
const renamed = {
  type: "object",
  properties: { title: { type: "string", minLength: 1, maxLength: 200, pattern: "\\S" } },
  required: ["title"],
  additionalProperties: false,
} as const;
const resumed = {
  type: "object",
  properties: {
    more: { type: "integer", minimum: 1, maximum: 10_000 },
    usd: { type: "number", minimum: 0 },
  },
  additionalProperties: false,
} as const;

const live = new WeakMap<App, LiveRuns>();
const latest = Number.MAX_SAFE_INTEGER;

/** The page of conversations with agents. */
export const chatHandlers: Handlers<ChatApi> = {
  "GET /chat/sessions": async ({ app }, { query }) => {
    const limit = readWhole(query, "limit", { least: 1, most: 500, fallback: 50 });
    const { findCurrentRun, listConversations } = await import("../../../app/views/index.ts");
    const { runs } = await app.store();
    const found = await listConversations(app, { limit });
    return Promise.all(
      found.map(async (one) => ({ ...one, run: (await findCurrentRun(runs, one)) ?? null })),
    );
  },

  "GET /chat/sessions/:id": async (context, request) => {
    const { query } = request;
    const session = await findSession(context, request);
    const { sessions, runs } = await context.app.store();
    const limit = readWhole(query, "limit", { least: 1, most: 500, fallback: 100 });
    const before = readWhole(query, "before", { least: 1, most: latest, fallback: session.lastSeq + 1 });
    // Entries count up without a gap.
    const from = Math.max(0, Math.min(before, session.lastSeq + 1) - 1 - limit);
    const after = readWhole(query, "after", { least: 0, most: latest, fallback: from });
    const read = await sessions.entries(session.scope, session.id, { after, limit });
    const rows = query.has("after") ? read : read.filter(({ seq }) => seq < before);
    const { findCurrentRun } = await import("../../../app/views/index.ts");
    return {
      session,
      run: (await findCurrentRun(runs, session)) ?? null,
      rows,
      head: session.lastSeq,
      more: (rows[0]?.seq ?? 1) > 1,
      waiting: await sessions.waiting(session.scope, session.id),
    };
  },

  "POST /chat/send": async ({ app }, request) => {
    const { sessionId, agent, model, ...rest } = await readInput(said, request);
    const message = await readMessage(rest, request.signal);
    const host = await app.agent();
    const run = await host.begin({
      ...message,
      channel: "console",
      ...(sessionId !== undefined && { sessionId }),
      ...(agent !== undefined && { agentId: agent }),
      ...(model !== undefined && { model }),
    });
    liveRuns(app).drive(run);
    return { runId: run.id, sessionId: run.sessionId };
  },

  "POST /chat/sessions/:id/steer": async (context, request) => {
    const { how = "steer", ...rest } = await readInput(steered, request);
    const message = await readMessage(rest, request.signal);
    const { id, scope } = await findSession(context, request);
    const { sessions } = await context.app.store();
    await sessions.post({ ...message, scope, sessionId: id, sender: "user", how });
    return { kept: true };
  },

  "POST /chat/sessions/:id/fork": async (context, request) => {
    const { upTo } = await readInput(forked, request);
    const { id, scope } = await findSession(context, request);
    const { sessions } = await context.app.store();
    return (
      (await sessions.fork(scope, id, { channel: "console", ...(upTo !== undefined && { upTo }) })) ??
      gone(id)
    );
  },

  "POST /chat/sessions/:id/rename": async (context, request) => {
    const { title } = await readInput(renamed, request);
    const { id, scope } = await findSession(context, request);
    const { sessions } = await context.app.store();
    await sessions.rename(scope, id, title.trim());
    return findSession(context, request);
  },

  "POST /chat/sessions/:id/delete": async (context, request) => {
    const found = await findSession(context, request);
    const { deleteSession } = await import("../../../app/views/index.ts");
    return (await deleteSession(context.app, found)) ? { deleted: true } : gone(found.id);
  },

  "POST /chat/runs/:id/resume": async ({ app }, request) => {
    const { more, usd } = await readInput(resumed, request);
    const id = readSegment(request, "id");
    const host = await app.agent();
    const run = await host.resume(id, {
      ...(more !== undefined && { more }),
      ...(usd !== undefined && { usd }),
    });
    if (run === undefined)
      throw notFound("a run that can go on", id, "another program has it, or it has ended");
    liveRuns(app).drive(run);
    return { runId: run.id, sessionId: run.sessionId };
  },

  "POST /chat/runs/:id/interrupt": async ({ app }, request) => {
    const run = liveRuns(app).get(readSegment(request, "id"));
    if (run === undefined || run.isOver) return { interrupted: false };
    run.interrupts.interrupt("the user");
    return { interrupted: true };
  },

  "GET /chat/runs/:id/events": async ({ app }, request) => {
    const id = readSegment(request, "id");
    const after = readWhole(request.query, "after", { least: 0, most: latest, fallback: 0 });
    const run = liveRuns(app).get(id);
    if (run === undefined) throw notFound("a run that is driven here", id, "its entries have what was said");
    return run.read(after, request.signal);
  },
};

function liveRuns(app: App): LiveRuns {
  let runs = live.get(app);
  if (runs === undefined) {
    runs = new LiveRuns(app);
    live.set(app, runs);
  }
  return runs;
}

async function findSession(
  { app }: ConsoleContext,
  request: Pick<ConsoleRequest<Endpoint>, "segments">,
): Promise<Session> {
  const id = readSegment(request, "id");
  const { sessions } = await app.store();
  return (await sessions.get(app.context.scope ?? "local", id)) ?? gone(id);
}

function gone(id: string): never {
  throw notFound("a session", id, "`haft sessions` lists them");
}
