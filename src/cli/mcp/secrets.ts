import type { App } from "../../app/index.ts";
import {
  type FoundSecret,
  findSecrets,
  hasBareSecret,
  type MovedSecrets,
  moveSecrets,
} from "../../app/servers/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";
import { askYes } from "../asking/ask-yes.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";

/** `move`: into the secret store, with the name alone in the file; `keep`: written as it is. */
export type SecretChoice = "move" | "keep";

/**
 * Asks what becomes of what looks like a secret. Without anybody to ask it is moved: a file is no place for it.
 *
 * @throws {CliError} CLI_CANCELLED
 */
async function chooseForSecrets(
  session: Session,
  server: McpServerConfig,
  found: readonly FoundSecret[],
  yes: boolean,
): Promise<SecretChoice> {
  if (yes || !session.terminal.interactive) return "move";
  const keys = found.map(({ key }) => key).join(", ");
  const look = found.length === 1 ? "looks like a secret" : "look like secrets";
  const message = `${keys} of ${server.name} ${look}. Keep the value in haft's secret store, and only its name in the file?`;
  const answer = await askYes(session.terminal, message, { signal: session.signal, first: true });
  if (answer === undefined) throw new CliError("CLI_CANCELLED", "Stopped by Ctrl-C; nothing was changed");
  return answer ? "move" : "keep";
}

/**
 * What is to be written of a server, after whoever is there was asked about its secrets. Nothing is stored yet.
 *
 * @param chosen what `--secrets` says
 */
export async function settleSecrets(
  session: Session,
  app: App,
  server: McpServerConfig,
  { chosen, yes }: { readonly chosen: SecretChoice | undefined; readonly yes: boolean },
): Promise<MovedSecrets> {
  const found = findSecrets(server);
  if (hasBareSecret(server)) {
    session.warn([
      `what looks like a secret is in the ${server.url === undefined ? "arguments" : "address"} of "${server.name}", which other programs of this machine can see; give it by ${server.url === undefined ? "--env" : "--header"} if the server takes it there`,
    ]);
  }
  if (found.length === 0) return { server, secrets: [] };
  const choice = chosen ?? (await chooseForSecrets(session, server, found, yes));
  if (choice === "keep") {
    session.warn([
      `what looks like a secret is written into the file as it is: ${found.map(({ key }) => key).join(", ")}; \`haft secret set NAME\` and \${secret:NAME} would keep it out`,
    ]);
    return { server, secrets: [] };
  }
  const stored = await app.secrets.list(app.context.scope ?? "local");
  return moveSecrets(
    server,
    found,
    stored.map(({ name }) => name),
  );
}

export async function storeSecrets(app: App, secrets: MovedSecrets["secrets"]): Promise<void> {
  for (const { name, value } of secrets) await app.secrets.set(app.context.scope ?? "local", name, value);
}
