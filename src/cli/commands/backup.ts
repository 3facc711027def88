import { randomBytes } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { formatBytes } from "../../base/index.ts";
import { refuseAgents } from "../asking/owner-only.ts";
import { ExportFile } from "../calls/export-file.ts";
import { addExamples } from "../examples.ts";
import { Progress } from "../memory/progress.ts";
import type { Session } from "../session.ts";

export function defineBackup(command: Command, session: Session): void {
  command
    .argument("<file>", "the file to make, a tar archive; one that is there is left as it is")
    .action((file: string) => backup(session, file));
  addExamples(command, [
    ["haft backup ~/haft-backup.tar", "all that haft keeps, in one file"],
    ["haft backup /mnt/backups/haft-$(date +%F).tar --json", "one a day, with its figures as JSON"],
  ]);
  command.addHelpText(
    "after",
    "\nIt holds haft's own folder: the store with its ledger, artifacts, memory and undo copies, the configuration,\ntokens and keys. Other haft programs may go on meanwhile. The file is verified before it gets its name.\nWho has it has your secrets, unless their key is a passphrase or in the keyring: keep it as safe as the folder.",
  );
}

async function backup(session: Session, name: string): Promise<void> {
  await refuseAgents("back up haft's own folder");
  const { terminal, signal } = session;
  const app = await session.openApp();
  const { path: store } = await app.store();
  const { writeBackup, unpackBackup } = await import("../../app/index.ts");
  const file = await ExportFile.create(name);
  const folder = dirname(resolve(name));
  const progress = new Progress(terminal);
  const onProgress = (what: string) => progress.tell(what);
  let bytes = 0;
  try {
    const manifest = await writeBackup({
      home: app.home.folder,
      store,
      version: session.version,
      now: Date.now(),
      signal,
      scratch: folder,
      onProgress,
      write: async (part) => {
        bytes += part.length;
        await file.write(part);
      },
    });
    const into = join(folder, `.haft-verify-${randomBytes(6).toString("hex")}`);
    await unpackBackup({ file: file.draft, into, signal, onProgress, keep: false });
    await file.finish();
    const { files } = manifest;
    const { head } = manifest.store;
    progress.end();
    if (session.asJson) terminal.json({ file: file.path, bytes, files: files.length, ledger: head });
    else
      terminal.out(
        `${files.length} files, ${formatBytes(bytes)}, are in ${file.path}, verified; the ledger in it ends at ${head.seq}:${head.hash.slice(0, 12)}\n`,
      );
  } catch (error) {
    await file.abandon();
    throw error;
  } finally {
    progress.end();
  }
}
