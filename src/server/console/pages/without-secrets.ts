import { JsonBytes } from "../../../app/index.ts";
import { redactValue } from "../../../kernel/index.ts";
import type { ConsoleContext, Handler, Handlers } from "../route.ts";
import { SavedFile } from "../saved-file.ts";

/**
 * The same handlers; each takes known secrets out of its answer. A value that was recorded before anybody knew that it is
 * a secret is still in the store. A handler that answers with a file takes them out itself.
 */
export function withoutSecrets<Api>(all: Handlers<Api>): Handlers<Api> {
  const entries = Object.entries(all).map(([key, handler]) => [key, redacted(handler as Handler<never>)]);
  return Object.fromEntries(entries) as Handlers<Api>;
}

function redacted(handler: Handler<never>): Handler<never> {
  return async (context: ConsoleContext, request) => {
    const answer: unknown = await handler(context, request);
    if (answer instanceof SavedFile) return answer as never;
    // The records' thread has taken them out.
    return (answer instanceof JsonBytes ? answer : redactValue(answer, context.app.redact)) as never;
  };
}
