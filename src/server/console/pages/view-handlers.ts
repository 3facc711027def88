import { redactValue } from "../../../kernel/index.ts";
import type { ViewsApi } from "../api/index.ts";
import type { ConsoleContext, Handler, Handlers } from "../route.ts";
import { chatHandlers } from "./chat.ts";
import { costHandlers } from "./cost.ts";
import { memoryHandlers } from "./memory.ts";
import { policyHandlers } from "./policy.ts";
import { serverHandlers } from "./servers.ts";
import { toolHandlers } from "./tools.ts";
import { traceHandlers } from "./trace.ts";
import { upkeepHandlers } from "./upkeep.ts";

const handlers: Handlers<ViewsApi> = {
  ...toolHandlers,
  ...traceHandlers,
  ...serverHandlers,
  ...memoryHandlers,
  ...upkeepHandlers,
  ...policyHandlers,
  ...costHandlers,
  ...chatHandlers,
};

/** The handlers of all pages beside Now, Questions and Calls. No answer of theirs has a known secret in it. */
export const viewHandlers: Handlers<ViewsApi> = withoutSecrets(handlers);

/** The same handlers; each takes known secrets out of its answer. */
function withoutSecrets<Api>(all: Handlers<Api>): Handlers<Api> {
  const entries = Object.entries(all).map(([key, handler]) => [key, redacted(handler as Handler<never>)]);
  return Object.fromEntries(entries) as Handlers<Api>;
}

function redacted(handler: Handler<never>): Handler<never> {
  return async (context: ConsoleContext, request) =>
    redactValue(await handler(context, request), context.app.redact) as never;
}
