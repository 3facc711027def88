import { allEntries, formatEntries, type MemoryFormat, memoryHead } from "../../../modules/memory/index.ts";
import { ExportFile } from "../../calls/export-file.ts";
import { CliError } from "../../errors.ts";
import { countText } from "../../memory/entry-text.ts";
import { type MemoryOptions, openMemory } from "../../memory/open-memory.ts";
import { Progress } from "../../memory/progress.ts";
import { type SelectionOptions, toFilter } from "../../memory/selection.ts";
import type { Session } from "../../session.ts";

export interface ExportOptions extends SelectionOptions {
  readonly format?: MemoryFormat;
  readonly deleted?: boolean;
}

/** Writes every entry that fits. It fails where it could not write all of them. */
export async function exportEntries(
  session: Session,
  of: MemoryOptions,
  file: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const { terminal, signal } = session;
  const { store, scope } = await openMemory(session, of);
  const format = options.format ?? (/\.(md|markdown)$/i.test(file ?? "") ? "md" : "jsonl");
  const filter = {
    ...toFilter(options),
    with: ["superseded", "invalid", ...(options.deleted === true ? ["deleted" as const] : [])],
  } as const;
  const output = file === undefined ? standardOutput(session) : await ExportFile.create(file);
  const progress = new Progress(terminal);
  let entries = 0;
  try {
    const head = memoryHead(format, scope);
    if (head !== "") await output.write(head);
    for await (const page of allEntries(store, scope, filter, signal)) {
      await output.write(formatEntries(page, format));
      entries += page.length;
      progress.tell(countText(entries));
    }
    await output.finish();
  } catch (error) {
    await output.abandon();
    throw error;
  } finally {
    progress.end();
  }
  const count = countText(entries);
  if (output.path === undefined) terminal.err(`${count}, all that fit\n`);
  else if (session.asJson) terminal.json({ entries, format, file: output.path });
  else terminal.out(`${count} ${entries === 1 ? "is" : "are"} in ${output.path}\n`);
}

interface Output {
  /** Undefined: standard output. */
  readonly path: string | undefined;
  write(text: string): Promise<void>;
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

function standardOutput({ terminal }: Session): Output {
  return {
    path: undefined,
    write: async (text) => {
      const fault = await terminal.send(terminal.foreign(text));
      if (fault === undefined) return;
      throw new CliError(
        "CLI_FILE",
        `Cannot export all entries: standard output takes no more (${fault}), so what was written is not the whole; export again, or name a file`,
      );
    },
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  };
}
