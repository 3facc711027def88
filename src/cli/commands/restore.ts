import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { BackupManifest, MovedAside } from "../../app/index.ts";
import { confirm } from "../asking/confirm.ts";
import { requireOwner } from "../asking/owner-only.ts";
import { addExamples } from "../examples.ts";
import { Progress } from "../memory/progress.ts";
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
    await confirm(session, {
      about: `${describe(manifest)}. ${describeTargets(home, place)}`,
      message: "Restore it?",
      action: `restore "${file}"`,
      yes: options.yes === true,
    });
    // With --yes nobody has seen where it goes.
    const agreedPlace = options.yes === true ? undefined : place;
    const aside = await restoreBackup({ unpacked, manifest, home, agreedPlace, now: Date.now() });
    report(session, { file, home, manifest, aside });
  } finally {
    progress.end();
    rmSync(unpacked, { recursive: true, force: true });
  }
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

/** Says where a backup goes, and whether anything is there now. */
export function describeTargets(home: string, place: string | undefined): string {
  const targets = place === undefined ? home : `${home}, its store to ${place}`;
  const isTaken = existsSync(home) || (place !== undefined && existsSync(place));
  return isTaken
    ? `It goes to ${targets}; what is there now is kept beside it.`
    : `It goes to ${targets}, where nothing is yet.`;
}
