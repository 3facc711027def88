import { rmSync } from "node:fs";
import type { Command } from "commander";
import { confirm, showSubject } from "../asking/confirm.ts";
import { requireOwner } from "../asking/owner-only.ts";
import { listChanges, renderChange } from "../connect/change-text.ts";
import type { ClientEntry } from "../connect/client-entry.ts";
import { digestText, dropConnection, readConnection, writeConnection } from "../connect/connection-record.ts";
import type { FileChange } from "../connect/file-change.ts";
import { clientEntries, clientSetting, findClient } from "../connect/index.ts";
import { planConnect, planUndo } from "../connect/plan.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { mcpCommand } from "../mcp/command.ts";
import { whyNoProject } from "../no-project.ts";
import type { Session } from "../session.ts";

interface ConnectOptions {
  readonly undo?: boolean;
  readonly yes?: boolean;
}

export function defineConnect(command: Command, session: Session): void {
  command
    .argument("[client]", "the client; without one, all are listed")
    .option("--undo", "put its files back; a person at a terminal is always asked")
    .option("-y, --yes", "do not ask")
    .action(async (id: string | undefined, options: ConnectOptions) => {
      if (id === undefined) listClients(session);
      else if (options.undo === true) await disconnect(session, findClient(id), options);
      else await connect(session, findClient(id), options);
    });
  addExamples(command, [
    ["haft connect claude-code", "show what changes in its files, and write it on a yes"],
    ["haft connect codex --undo", "put its files back"],
    ["haft doctor --client cursor", "say whether its own shell is still there"],
  ]);
  command.addHelpText(
    "after",
    "\nIt adds haft to the client's own configuration, switches the client's own file and shell tools off, and its own\nquestion about haft's tools; where a client can't, it says so. Comments and everything else in its files stay.\nWhat was there is kept in haft's own folder. A client that starts no shell and no files of its own leaves no way\naround haft's rules.",
  );
}

function listClients({ asJson, terminal }: Session): void {
  if (asJson)
    terminal.json(
      clientEntries.map(({ id, title, driven }) => ({ id, title, ...(driven !== undefined && { driven }) })),
    );
  else terminal.out(clientEntries.map(({ id, title }) => `${id.padEnd(16)}${title}\n`).join(""));
}

/** A client that starts its servers in no project has one written down, and that must be one. */
function refuseNoProject({ common }: Session, { title, needsFolder }: ClientEntry, folder: string): void {
  if (needsFolder !== true || common.folder !== undefined) return;
  const why = whyNoProject(folder);
  if (why === undefined) return;
  throw new CliError(
    "CLI_USAGE",
    `Cannot connect ${title} to "${folder}": it has no project of its own, and this folder is none (${why}); name one with --folder`,
  );
}

async function connect(session: Session, entry: ClientEntry, { yes = false }: ConnectOptions): Promise<void> {
  await requireOwner(session, `connect ${entry.title}`);
  const home = await session.home();
  const folder = session.folder();
  refuseNoProject(session, entry, folder);
  const setting = clientSetting(entry, { command: mcpCommand(session, home, folder), folder });
  const changes = await planConnect(entry, setting);
  const notes = [entry.ownTools(setting), entry.ownQuestion(setting)].flatMap(
    ({ but, none }) => but ?? none ?? [],
  );
  if (changes.length > 0) {
    showChanges(session, changes, notes);
    await confirm(session, { message: "Write it?", action: `change the files of ${entry.title}`, yes });
    writeConnection(home, entry.id, changes);
    await writeAll(changes);
  }
  if (session.asJson) {
    session.terminal.json({ client: entry.id, files: listChanges(changes), notes });
    return;
  }
  if (changes.length === 0) session.terminal.out(`${entry.title} is connected already\n${lines(notes)}`);
  else
    session.terminal.out(
      `${entry.title} is connected; start it anew. \`haft connect ${entry.id} --undo\` puts its files back\n`,
    );
}

async function disconnect(session: Session, entry: ClientEntry, { yes }: ConnectOptions): Promise<void> {
  await requireOwner(session, `disconnect ${entry.title}`);
  if (yes === true) {
    throw new CliError(
      "CLI_USAGE",
      "Cannot take --yes for --undo: it gives a client its own shell back, and a person at a terminal decides that; leave --yes out",
    );
  }
  const home = await session.home();
  const kept = readConnection(home, entry.id);
  if (kept.length === 0) {
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot undo: haft keeps nothing of ${entry.title}; remove haft from its files by hand, \`haft serve --print-config ${entry.id}\` shows what belongs to it`,
    );
  }
  const { changes, kept: notes } = await planUndo(kept, digestText);
  showChanges(session, changes, notes);
  await confirm(session, {
    message: "Put it back?",
    action: `put the files of ${entry.title} back`,
    yes: false,
  });
  await writeAll(changes);
  dropConnection(home, entry.id);
  if (session.asJson) session.terminal.json({ client: entry.id, files: listChanges(changes), notes });
  else session.terminal.out(`${entry.title} is as it was before; start it anew\n`);
}

function showChanges(session: Session, changes: readonly FileChange[], notes: readonly string[]): void {
  showSubject(session, changes.map((change) => `${renderChange(change, session.terminal)}\n`).join(""));
  if (notes.length > 0) showSubject(session, `${lines(notes)}\n`);
}

function lines(notes: readonly string[]): string {
  return notes.map((note) => `${note}\n`).join("");
}

/** All or nothing for each file; a file that was changed meanwhile is left, and what is written can be undone. */
async function writeAll(changes: readonly FileChange[]): Promise<void> {
  const { replaceConfig } = await import("../../app/index.ts");
  for (const { file, before, after } of changes) {
    if (after === undefined) rmSync(file, { force: true });
    else replaceConfig(file, before, after);
  }
}
