import { homedir } from "node:os";
import { nearestNames } from "../../base/index.ts";
import { readVariable } from "../../host/index.ts";
import type { Endpoint } from "../clients/form.ts";
import { CliError } from "../errors.ts";
import type { ClientEntry, ClientSetting } from "./client-entry.ts";
import { editorClients } from "./editor-clients.ts";
import { otherTerminalClients } from "./other-terminal-clients.ts";
import { terminalClients } from "./terminal-clients.ts";

/** All clients that haft can connect. Add a new one here, with a driver in test/clients if it can be automated. */
export const clientEntries: readonly ClientEntry[] = [
  ...terminalClients,
  ...otherTerminalClients,
  ...editorClients,
];

/** Returns the locations of this user's client files, and the command that starts `haft mcp`. */
export function clientSetting(
  { needsFolder }: Pick<ClientEntry, "needsFolder">,
  { command: [command, ...args], folder }: Pick<Endpoint, "command" | "folder">,
): ClientSetting {
  const named = needsFolder === true && !args.includes("--folder") ? ["--folder", folder] : [];
  return {
    home: homedir(),
    folder,
    platform: process.platform,
    variable: readVariable,
    command,
    args: [...args, ...named],
  };
}

/** @throws {CliError} CLI_NOT_FOUND */
export function findClient(id: string): ClientEntry {
  const found = clientEntries.find((entry) => entry.id === id);
  if (found !== undefined) return found;
  const ids = clientEntries.map((entry) => entry.id);
  const nearest = nearestNames(id, ids);
  const hint = nearest.length > 0 ? `did you mean ${nearest.join(" or ")}` : `there are ${ids.join(", ")}`;
  throw new CliError(
    "CLI_NOT_FOUND",
    `Cannot find a client "${id}"; ${hint}; \`haft serve --print-config json\` prints what any other needs`,
    { details: { nearest, known: ids } },
  );
}
