import type { TraceApi } from "../api/index.ts";
import type { Handlers } from "../route.ts";
import { notFound, readSegment } from "./input.ts";

/** The page of a trace: what a call or a run led to, and what it waited for. */
export const traceHandlers: Handlers<TraceApi> = {
  "GET /trace/:id": async ({ app, json }, request) => {
    const id = readSegment(request, "id");
    const scope = app.context.scope ?? "local";
    const trace = await json.traceColumns({ scope, id }, request.signal);
    if (trace === undefined)
      throw notFound("a call, run or session", id, "`haft audit` and `haft sessions` list them");
    return trace;
  },
};
