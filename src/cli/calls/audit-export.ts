import type { ExportFormat, Records } from "../../app/index.ts";
import type { CallRecord } from "../../modules/ledger/index.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";
import type { AuditQuery } from "./audit-options.ts";
import { ExportFile } from "./export-file.ts";
import { openRecords } from "./open-records.ts";

export interface ExportOptions {
  readonly query: AuditQuery;
  readonly format: ExportFormat;
  /** @default standard output */
  readonly output: string | undefined;
}

/** Writes every call that fits, oldest first. It fails where it could not write all of them. */
export async function exportCalls(session: Session, options: ExportOptions): Promise<void> {
  const { query, format } = options;
  const app = await session.openApp();
  session.warn(app.loaded.warnings);
  const [{ formatCalls }, records] = await Promise.all([
    import("../../app/index.ts"),
    openRecords(session, app),
  ]);
  const output = await openOutput(session, options.output);
  let calls = 0;
  try {
    for await (const page of listPages(records, query, session.signal)) {
      for (const text of formatCalls(page, format, session.version)) await output.write(text);
      calls += page.length;
    }
    await output.finish();
  } catch (error) {
    await output.abandon();
    throw error;
  }
  tell(session, calls, { file: output.path, project: query.project });
}

const pageCalls = 1000;

/** All calls that fit, the oldest first; one page of them is in memory. */
async function* listPages(
  records: Records,
  query: AuditQuery,
  signal: AbortSignal,
): AsyncGenerator<readonly CallRecord[], void, void> {
  for (let after = 0; ; ) {
    const { rows, more } = await records.listCalls({ ...query, after, limit: pageCalls }, signal);
    yield rows;
    const last = rows.at(-1);
    if (!more || last === undefined) return;
    after = last.seq;
  }
}

interface Output {
  /** Undefined: standard output. */
  readonly path: string | undefined;
  write(text: string): Promise<void>;
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

async function openOutput({ terminal }: Session, name: string | undefined): Promise<Output> {
  if (name !== undefined) return ExportFile.create(name);
  return {
    path: undefined,
    write: async (text) => {
      const fault = await terminal.send(text);
      if (fault === undefined) return;
      throw new CliError(
        "CLI_FILE",
        `Cannot export all calls: standard output takes no more (${fault}), so what was written is not the whole; export again, or use --output`,
      );
    },
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  };
}

interface Exported {
  /** Undefined: standard output. */
  readonly file: string | undefined;
  /** Undefined: calls for every folder. */
  readonly project: string | undefined;
}

function tell({ terminal, asJson }: Session, calls: number, { file, project }: Exported): void {
  const whose = project === undefined ? "" : ` for ${terminal.foreignError(project)}`;
  const more = project === undefined ? "" : "; --all writes those for every folder";
  if (file === undefined) terminal.err(`${calls} calls${whose}, all that fit${more}\n`);
  else if (asJson) terminal.json({ calls, file, ...(project !== undefined && { folder: project }) });
  else terminal.out(`${calls} calls${whose} are in ${file}${more}\n`);
}
