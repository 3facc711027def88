import type {
  MemoryEntry,
  MemoryPermission,
  MemoryTier,
  NewMemoryEntry,
} from "../../../modules/memory/index.ts";
import { readAll } from "../../calls/stdin-text.ts";
import { CliError } from "../../errors.ts";
import { formatEntryName, shown } from "../../memory/entry-text.ts";
import { type MemoryOptions, openMemory } from "../../memory/open-memory.ts";
import { parseTime } from "../../memory/selection.ts";
import type { Session } from "../../session.ts";

/** What both `add` and `set` can say. */
export interface FactOptions {
  readonly label?: string;
  readonly tier?: MemoryTier;
  readonly permission?: MemoryPermission;
  readonly title?: string;
  readonly category?: string;
  readonly tag?: readonly string[];
  readonly name?: readonly string[];
  readonly pin?: boolean;
  readonly validFrom?: string;
  readonly validTo?: string;
}

export interface AddOptions extends FactOptions {
  readonly kind?: string;
  readonly at?: string;
}

export async function addEntry(
  session: Session,
  of: MemoryOptions,
  words: string,
  options: AddOptions,
): Promise<void> {
  const { app, memory } = await openMemory(session, of);
  const text = words === "" ? await textOfInput(session) : words;
  const entry = await memory.createBlock(newEntry(text, options));
  await app.memory.remembered(entry).catch((error: unknown) => session.note(error));
  tellEntry(session, entry, "is remembered");
}

function newEntry(text: string, options: AddOptions): NewMemoryEntry {
  const { kind, label, tier, permission, title, category, tag, name, pin } = options;
  const now = Date.now();
  const readTime = (option: string, when: string | undefined) =>
    when === undefined ? undefined : parseTime(option, when, now);
  const at = readTime("--at", options.at);
  const validFrom = readTime("--valid-from", options.validFrom);
  const validTo = readTime("--valid-to", options.validTo);
  return {
    kind: kind ?? (label === undefined ? "memory" : "block"),
    text,
    ...(label !== undefined && { label }),
    ...(tier !== undefined && { tier }),
    ...(permission !== undefined && { permission }),
    ...(title !== undefined && { title }),
    ...(category !== undefined && { category }),
    ...(tag !== undefined && { tags: tag }),
    ...(name !== undefined && { names: name }),
    ...(pin === true && { pinned: true }),
    ...(at !== undefined && { at }),
    ...(validFrom !== undefined && { validFrom }),
    ...(validTo !== undefined && { validTo }),
  };
}

/** @throws {CliError} CLI_USAGE where a person would have to know that it waits. */
async function textOfInput({ terminal, signal }: Session): Promise<string> {
  if (terminal.streams.stdin.isTTY === true)
    throw new CliError(
      "CLI_USAGE",
      "Cannot remember nothing: say it, as in `haft memory add 'Ada lives in Paris'`, or give a file with <",
    );
  const text = (await readAll(terminal.streams.stdin, signal)).replace(/\r?\n$/, "");
  if (text.trim() !== "") return text;
  throw new CliError("CLI_USAGE", "Cannot remember nothing: standard input is empty");
}

/** One line that says what became of an entry. */
export function tellEntry({ terminal, asJson }: Session, entry: MemoryEntry, what: string): void {
  if (asJson) {
    terminal.json(entry);
    return;
  }
  const id = formatEntryName(entry) === entry.id ? "" : ` (${entry.id})`;
  terminal.out(`${shown(terminal, formatEntryName(entry))}${id} ${what}\n`);
}
