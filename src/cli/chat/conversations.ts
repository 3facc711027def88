import type { Session as Conversation, Sessions } from "../../modules/sessions/index.ts";
import { CliError } from "../errors.ts";
import { formatSpan } from "../text/span.ts";

const scope = "local";
/**
 * The conversation with this id, or the only one with an id that begins so.
 *
 * @throws {CliError} CLI_NOT_FOUND, or CLI_USAGE if several ids begin like this.
 */
export async function findConversation(sessions: Sessions, id: string | undefined): Promise<Conversation> {
  if (id === undefined)
    throw new CliError("CLI_USAGE", "Cannot tell which session: give its id, as `haft sessions` lists it");
  const exact = await sessions.get(scope, id);
  if (exact !== undefined) return exact;
  const alike = (await sessions.list({ scope, limit: 1000 })).filter((one) => one.id.startsWith(id));
  const [only] = alike;
  if (only === undefined)
    throw new CliError("CLI_NOT_FOUND", `Cannot find a session "${id}"; \`haft sessions\` lists them`);
  if (alike.length === 1) return only;
  throw new CliError(
    "CLI_USAGE",
    `Cannot tell which session "${id}" is: ${alike.map((one) => one.id).join(", ")} begin so`,
  );
}

/** `s_4k2…  3 min ago  Which tests are slow?` */
export function describeConversation({ id, changedAt, title }: Conversation, now: number): string {
  return `${id}  ${formatSpan(now - changedAt)} ago  ${title ?? "(no title)"}`;
}

/** Says where a conversation of another folder comes from; undefined if it is of this one. */
export function describeElsewhere(from: string | undefined, folder: string): string | undefined {
  if (from === undefined || from === folder) return undefined;
  return `It comes from ${from}. Here the agent works in ${folder}, by the rules of this folder, and is told so`;
}
