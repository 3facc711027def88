import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { BackupManifest, MovedAside } from "../../app/index.ts";
import { confirm } from "../confirm.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { Progress } from "../memory/progress.ts";
import { requireOwner } from "../owner-only.ts";
import type { Session } from "../session.ts";

interface RestoreOptions {
  readonly check?: boolean;
  readonly yes?: boolean;
}

export function defineRestore(command: Command, session: Session): void {
  command
    .argument("<file>", "what `haft backup` made")
    .option("--check", "only verify it; nothing is replaced")
    .option("-y, --yes", "do not ask before haft's own folder is replaced")
    .action((file: string, options: RestoreOptions) => restore(session, file, options));
  addExamples(command, [
    ["haft restore --check ~/haft-backup.tar", "is it whole, and what is in it?"],
    ["haft restore ~/haft-backup.tar", "haft's own folder is what it was then"],
  ]);
  command.addHelpText(
    "after",
    "\nAll of the backup is unpacked and verified before anything is replaced. What was there is kept beside it,\nand is yours to remove. It is refused while another haft program has the store open, and to agents.\nRestore only what you made yourself: a backup holds the configuration, and what you trust.",
  );
}

async function restore(session: Session, name: string, options: RestoreOptions): Promise<void> {
  if (options.check !== true) await requireOwner(session, "restore a backup");
  const file = resolve(name);
  const { folder: home } = await session.home();
  const { restoreBackup, unpackBackup } = await import("../../app/index.ts");
  const unpacked = `${home}.restoring-${randomBytes(6).toString("hex")}`;
  const progress = new Progress(session.terminal);
  try {
    const manifest = await unpackBackup({
      file,
      into: unpacked,
      signal: session.signal,
      onProgress: (what) => progress.tell(what),
      keep: true,
    });
    progress.end();
    if (options.check === true) return report(session, { file, home, manifest });
    const { place } = manifest.store;
    if (place !== undefined && options.yes === true) throw storeElsewhere(file, place);
    await confirm(session, {
      about: `${describe(manifest)}. It takes the place of ${home}${place === undefined ? "" : ` and of the store ${place}`}, which is kept.`,
      message: "Restore it?",
      action: `restore "${file}"`,
      yes: options.yes === true,
    });
    const aside = await restoreBackup({ unpacked, manifest, home, now: Date.now() });
    report(session, { file, home, manifest, aside });
  } finally {
    progress.end();
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/** A backup names that place itself: a person has to see it. */
function storeElsewhere(file: string, place: string): CliError {
  return new CliError(
    "CLI_UNCONFIRMED",
    `Cannot restore "${file}" with --yes: it puts its store at "${place}", outside haft's own folder; leave out --yes, and say yes to that place at a terminal`,
    { details: { place } },
  );
}

interface Report {
  readonly file: string;
  readonly home: string;
  readonly manifest: BackupManifest;
  /** Absent where it was only verified. */
  readonly aside?: MovedAside;
}

function report({ terminal, asJson }: Session, { file, home, manifest, aside }: Report): void {
  const { version, madeAt, files, store } = manifest;
  if (asJson) {
    const facts = {
      file,
      madeAt: new Date(madeAt).toISOString(),
      version,
      files: files.length,
      ledger: store.head,
    };
    terminal.json({ ...facts, restored: aside !== undefined, ...(aside !== undefined && { home, aside }) });
    return;
  }
  const kept = (aside ?? []).map(({ to }) => `what was there is in ${to}\n`).join("");
  const done = aside === undefined ? "it is whole; nothing was replaced" : `it is in ${home} now`;
  terminal.out(terminal.foreign(`${describe(manifest)}: ${done}\n${kept}`));
}

function describe({ version, madeAt, files, store }: BackupManifest): string {
  return `A backup of ${new Date(madeAt).toISOString()}, haft ${version}: ${files.length} files, the ledger ends at ${store.head.seq}:${store.head.hash.slice(0, 12)}`;
}
