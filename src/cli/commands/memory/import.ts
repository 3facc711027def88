import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import { getErrorCode, getErrorMessage } from "../../../base/index.ts";
import {
  type ImportOptions as AppImportOptions,
  type ImportPlan,
  importMemory,
  type MemoryFormat,
  memoryFormats,
  type PortableEntry,
  planImport,
  readPortable,
} from "../../../modules/memory/index.ts";
import { confirm } from "../../asking/confirm.ts";
import { readAll } from "../../calls/stdin-text.ts";
import { CliError } from "../../errors.ts";
import { type MemoryOptions, type OwnMemory, openMemory } from "../../memory/open-memory.ts";
import { Progress } from "../../memory/progress.ts";
import { tellMore } from "../../memory/told-fault.ts";
import type { Session } from "../../session.ts";

export interface ImportOptions {
  readonly format?: MemoryFormat;
  readonly dryRun?: boolean;
  readonly trusted?: boolean;
  readonly yes?: boolean;
}

/** A file that can be read more than once. */
interface Source {
  readonly name: string;
  readonly format: MemoryFormat;
  pieces(): AsyncIterable<string> | Iterable<string>;
}

interface Planned extends ImportPlan {
  readonly file: string;
}

/** All files are read before the first change. */
export async function importFiles(
  session: Session,
  of: MemoryOptions,
  files: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const own = await openMemory(session, of);
  const progress = new Progress(session.terminal);
  const works: { readonly source: Source; readonly plan: Planned }[] = [];
  try {
    for (const file of files) {
      const source = await openSource(session, file, options.format);
      const read = readEntries(source, own);
      const plan = await named(source, () =>
        planImport(read(), toOptions(session, own, source, options, progress)),
      );
      works.push({ source, plan: { file: source.name, ...plan } });
    }
    progress.end();
    const plans = works.map(({ plan }) => plan);
    if (options.dryRun !== true) {
      await confirmChanges(session, plans, options.yes === true);
      for (const { source, plan } of works) {
        const sessions = await named(source, () =>
          importMemory(readEntries(source, own), plan, toOptions(session, own, source, options, progress)),
        );
        await own.app.memory.noticed(own.scope, sessions).catch((error: unknown) => session.note(error));
      }
    }
    progress.end();
    tell(session, plans, options);
  } finally {
    progress.end();
  }
}

function readEntries(source: Source, { app }: OwnMemory): () => AsyncIterable<PortableEntry> {
  const name = basename(source.name, extname(source.name));
  return () => readPortable(source.pieces(), { format: source.format, name, project: app.memory.project });
}

const parts = { read: "read", add: "added", change: "compared", connect: "connected" } as const;

function toOptions(
  session: Session,
  { app, store, scope }: OwnMemory,
  { name }: Source,
  { trusted = false }: ImportOptions,
  progress: Progress,
): AppImportOptions {
  return {
    store,
    graph: app.memory.graph,
    scope,
    author: { by: `import:${basename(name)}`, channel: "cli" },
    trusted,
    signal: session.signal,
    onProgress: (part, entries) =>
      progress.tell(`${basename(name)}: ${entries.toLocaleString("en")} entries ${parts[part]}`),
  };
}

/** @throws {CliError} CLI_NOT_FOUND, CLI_FILE, CLI_INPUT, CLI_USAGE */
async function openSource(session: Session, file: string, wanted: MemoryFormat | undefined): Promise<Source> {
  if (file === "-") {
    const text = await readAll(session.terminal.streams.stdin, session.signal);
    return { name: "standard input", format: wanted ?? detectFormat(text), pieces: () => [text] };
  }
  const path = resolve(file);
  const found = await stat(path).catch((cause: unknown) => {
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot read "${file}": ${getErrorCode(cause) ?? getErrorMessage(cause)}; name a file`,
      {
        cause,
      },
    );
  });
  if (!found.isFile())
    throw new CliError(
      "CLI_FILE",
      `Cannot read "${file}": it is no file; name files, or - for standard input`,
    );
  const pieces = () => readPieces(path);
  return { name: path, format: wanted ?? (await formatOfFile(path, pieces())), pieces };
}

/** @throws {CliError} CLI_USAGE where its ending is of something else */
async function formatOfFile(path: string, pieces: AsyncIterable<string>): Promise<MemoryFormat> {
  const ending = extname(path).toLowerCase();
  if (/^\.(md|markdown)$/.test(ending)) return "md";
  if (/^\.(jsonl|ndjson|json)$/.test(ending)) return "jsonl";
  if (/^(\.txt)?$/.test(ending)) return detectFormat(await readBeginning(pieces));
  throw new CliError(
    "CLI_USAGE",
    `Cannot tell how "${basename(path)}" is written: its name ends with ${ending}; say it with --format ${memoryFormats.join(" or --format ")}`,
  );
}

/** @throws {CliError} CLI_INPUT where it is no UTF-8: what it says would not be kept. */
async function* readPieces(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw new CliError("CLI_INPUT", `Cannot read "${path}": it is not UTF-8; convert it first`, {
        cause,
      });
    }
  };
  for await (const chunk of createReadStream(path)) yield decode(chunk as Uint8Array);
  yield decode();
}

async function readBeginning(pieces: AsyncIterable<string>): Promise<string> {
  for await (const piece of pieces) return piece;
  return "";
}

function detectFormat(text: string): MemoryFormat {
  return /^\uFEFF?\s*(\[\s*)?\{/u.test(text) ? "jsonl" : "md";
}

/** Says which file it was. */
async function named<Result>({ name }: Source, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw tellMore(thrown, `(in ${basename(name)})`);
  }
}

async function confirmChanges(session: Session, plans: readonly Planned[], yes: boolean): Promise<void> {
  const changed = plans.reduce((sum, plan) => sum + plan.changed, 0);
  if (changed === 0) return;
  const what =
    changed === 1 ? "1 entry that is here" : `${changed.toLocaleString("en")} entries that are here`;
  await confirm(session, {
    about: plans.map(describe).join("\n"),
    message: `Change ${what}? Each can be undone`,
    action: `change ${what}`,
    yes,
  });
}

function tell(
  { terminal, asJson }: Session,
  plans: readonly Planned[],
  { dryRun, trusted }: ImportOptions,
): void {
  if (asJson) {
    terminal.json(
      plans.map(({ whole: _whole, connected: _connected, ...counts }) => ({
        ...counts,
        dryRun: dryRun === true,
      })),
    );
    return;
  }
  terminal.out(plans.map((plan) => `${terminal.foreign(describe(plan))}\n`).join(""));
  const some = plans.some((plan) => plan.new + plan.changed > 0);
  if (dryRun === true) terminal.err("Nothing was changed: --dry-run\n");
  else if (some && trusted !== true)
    terminal.err("It is marked untrusted; if it is your own, import it again with --trusted\n");
}

function describe({ file, ofFiles, ...plan }: Planned): string {
  const counts = `${plan.new} new, ${plan.changed} changed, ${plan.same} the same`;
  const left =
    ofFiles === 0 ? "" : `; ${ofFiles} left out, which are made of files in the memory folder: copy those`;
  return `${basename(file)}: ${counts}${left}`;
}
