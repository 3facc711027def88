import type { GraphFacts, MemoryGraph } from "../store/graph/memory-graph.ts";
import type { MemoryAuthor, MemoryEntry, NewMemoryEntry } from "../store/memory-entry.ts";
import type { ChangedFacts, MemoryEdit, MemoryStore } from "../store/memory-store.ts";
import { badLine } from "./errors.ts";
import { importedId, importedReference, kindsOfFiles, type PortableEntry } from "./portable-entry.ts";

/** The scope that entries go to, who imports them, and how far the file is trusted. */
export interface ImportOptions {
  readonly store: Pick<MemoryStore, "get" | "edit">;
  readonly graph: Pick<MemoryGraph, "add">;
  readonly scope: string;
  /** Who imports. */
  readonly author: MemoryAuthor;
  /**
   * Whether the file is one's own: who wrote an entry, what it may be trusted for, who may change it and whether it
   * stands in every prompt is then as the file says. Otherwise nothing of it is more than data to be found.
   */
  readonly trusted: boolean;
  readonly signal: AbortSignal;
  /** Called with how many entries this part of the work has looked at so far. */
  readonly onProgress?: (part: "read" | "add" | "change" | "connect", entries: number) => void;
}

/** What became of the entries of a file, or will. */
export interface ImportCounts {
  readonly new: number;
  readonly changed: number;
  readonly same: number;
  /** Entries of kinds that are made from the files in the memory folder. */
  readonly ofFiles: number;
}

/** What an import would do. */
export interface ImportPlan extends ImportCounts {
  /** All of it happens, or nothing; otherwise in steps, and where one fails those before it have happened. */
  readonly whole: boolean;
  /** Entries that say how things are connected. */
  readonly connected: number;
}

/** What one transaction takes; past this there are several of {@link stepEdits}. */
const wholeEdits = 10_000;
const wholeChars = 50_000_000;
const stepEdits = 2_000;
const stepChars = 8_000_000;
/** Nodes and edges of each entry are few. */
const factsAtOnce = 200;

/**
 * Reads all of a file, and says what importing it would do.
 *
 * @throws {MemoryImportError} MEMORY_IMPORT for the first line that can't be imported
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const lines = ['{ "kind": "memory", "text": "Ada likes tea." }\n'];
 * const plan = await planImport(readPortable(lines, { format: "jsonl", name: "import", project: "shop" }), {
 *   store: store.memory,
 *   graph: store.graph,
 *   scope: "local",
 *   author: { by: "import:tea.jsonl" },
 *   trusted: false,
 *   signal: AbortSignal.timeout(10_000),
 * });
 * plan.new; // → 1
 * ```
 */
export async function planImport(
  entries: AsyncIterable<PortableEntry>,
  options: ImportOptions,
): Promise<ImportPlan> {
  const counts = { new: 0, changed: 0, same: 0, ofFiles: 0, connected: 0 };
  let edits = 0;
  let chars = 0;
  for await (const { portable, made } of eachOnce(entries, options, "read")) {
    edits += made.length;
    chars += countChars(made);
    if (facts(portable) > 0) counts.connected++;
    counts[toOutcome(portable, made)]++;
  }
  return { ...counts, whole: edits <= wholeEdits && chars <= wholeChars };
}

/**
 * Imports what was planned. After a failure it can be called again, and goes on from there.
 *
 * @param read reads the same file from its beginning
 * @returns the conversations to which something was added
 * @throws {MemoryError} MEMORY_CHANGED where somebody changed an entry meanwhile, MEMORY_LABEL_TAKEN, …
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const lines = ['{ "kind": "memory", "text": "Ada likes tea." }\n'];
 * const read = () => readPortable(lines, { format: "jsonl", name: "import", project: "shop" });
 * const options: ImportOptions = {
 *   store: store.memory,
 *   graph: store.graph,
 *   scope: "local",
 *   author: { by: "import:tea.jsonl" },
 *   trusted: false,
 *   signal: AbortSignal.timeout(10_000),
 * };
 * await importMemory(read, await planImport(read(), options), options);
 * (await store.memory.list("local")).total; // → 1
 * ```
 */
export async function importMemory(
  read: () => AsyncIterable<PortableEntry>,
  plan: ImportPlan,
  options: ImportOptions,
): Promise<ReadonlySet<string>> {
  const sessions = new Set<string>();
  const steps = new Steps(options, plan.whole);
  // What is new comes first: an entry may be superseded by one further on.
  for (const part of ["add", "change"] as const) {
    if ((part === "add" ? plan.new : plan.changed) === 0) continue;
    for await (const { portable, made } of eachOnce(read(), options, part)) {
      const isNew = made[0]?.do === "create_block";
      if (isNew !== (part === "add")) continue;
      await steps.add(made);
      const { kind, place } = portable.entry;
      if (isNew && kind === "message" && place !== undefined) sessions.add(place.session);
    }
  }
  await steps.take();
  if (plan.connected > 0) await connect(read(), options);
  return sessions;
}

async function connect(entries: AsyncIterable<PortableEntry>, options: ImportOptions): Promise<void> {
  const { graph, scope } = options;
  let waiting: GraphFacts[] = [];
  for await (const { portable } of eachOnce(entries, options, "connect")) {
    const entryId = importedId(portable, scope);
    if (facts(portable) === 0 || entryId === undefined) continue;
    waiting.push({ entryId, nodes: portable.nodes ?? [], edges: portable.edges ?? [] });
    if (waiting.length < factsAtOnce) continue;
    await graph.add(scope, waiting);
    waiting = [];
  }
  if (waiting.length > 0) await graph.add(scope, waiting);
}

function facts({ nodes = [], edges = [] }: PortableEntry): number {
  return nodes.length + edges.length;
}

interface Planned {
  readonly portable: PortableEntry;
  readonly made: readonly MemoryEdit[];
}

/** Each entry with the edits that it takes now. What a file says twice over counts once. */
async function* eachOnce(
  entries: AsyncIterable<PortableEntry>,
  options: ImportOptions,
  part: Parameters<NonNullable<ImportOptions["onProgress"]>>[0],
): AsyncGenerator<Planned> {
  const ids = new Set<string>();
  const labels = new Set<string>();
  let count = 0;
  for await (const portable of entries) {
    options.signal.throwIfAborted();
    const { line, entry, was, isWhole } = portable;
    const id = importedId(portable, options.scope);
    const isKnown = id !== undefined && ids.has(id);
    if (isKnown && isWhole) throw badLine(line, "an entry before it has its id; leave one of them out");
    if (id !== undefined) ids.add(id);
    if (entry.label !== undefined && was.deletedAt === undefined && !isKnown) {
      if (labels.has(entry.label))
        throw badLine(line, `an entry before it has its label "${entry.label}"; change one of them`);
      labels.add(entry.label);
    }
    const made = isKnown || isOfFiles(portable) ? [] : await toEdits(portable, options);
    options.onProgress?.(part, ++count);
    yield { portable, made };
  }
}

function isOfFiles({ entry }: PortableEntry): boolean {
  return kindsOfFiles.includes(entry.kind);
}

function toOutcome(portable: PortableEntry, [first]: readonly MemoryEdit[]): keyof ImportCounts {
  if (isOfFiles(portable)) return "ofFiles";
  if (first === undefined) return "same";
  return first.do === "create_block" ? "new" : "changed";
}

function countChars(edits: readonly MemoryEdit[]): number {
  return edits.reduce((sum, edit) => {
    if (edit.do === "create_block") return sum + edit.entry.text.length;
    return sum + (edit.do === "update_block_text" ? edit.text.length : 0);
  }, 0);
}

/** Edits that wait until there are enough of them, or till the end where all are to be made or none. */
class Steps {
  readonly #options: ImportOptions;
  readonly #whole: boolean;
  #edits: MemoryEdit[] = [];
  #chars = 0;

  constructor(options: ImportOptions, whole: boolean) {
    this.#options = options;
    this.#whole = whole;
  }

  async add(edits: readonly MemoryEdit[]): Promise<void> {
    this.#edits.push(...edits);
    this.#chars += countChars(edits);
    if (!this.#whole && (this.#edits.length >= stepEdits || this.#chars >= stepChars)) await this.take();
  }

  async take(): Promise<void> {
    const { store, scope, author } = this.#options;
    const edits = this.#edits;
    this.#edits = [];
    this.#chars = 0;
    await store.edit(scope, edits, author);
  }
}

async function toEdits(portable: PortableEntry, options: ImportOptions): Promise<readonly MemoryEdit[]> {
  const existing = await find(portable, options);
  if (existing === undefined) return [creation(portable, options)];
  if (portable.was.deletedAt !== undefined) return [];
  const made = await changes(existing, portable, options);
  if (made.length > 0 && existing.trust === "trusted" && !options.trusted)
    throw badLine(
      portable.line,
      `"${existing.label ?? existing.id}" is there already and is one's own, and a file from elsewhere changes only what came from elsewhere; import it as trusted, or give it another label`,
    );
  return made;
}

async function find(
  portable: PortableEntry,
  { store, scope }: ImportOptions,
): Promise<MemoryEntry | undefined> {
  const id = importedId(portable, scope);
  const byId = id === undefined ? undefined : await store.get(scope, id);
  if (byId !== undefined && byId.id === id && byId.scope === scope) return byId;
  const { label } = portable.entry;
  if (label === undefined || portable.was.deletedAt !== undefined) return undefined;
  const byLabel = await store.get(scope, label);
  return byLabel?.scope === scope && byLabel.label === label ? byLabel : undefined;
}

function creation(portable: PortableEntry, { scope, trusted }: ImportOptions): MemoryEdit {
  const { was } = portable;
  const { author, ...times } = was;
  const id = importedId(portable, scope);
  const told = withReferences(portable, scope);
  return {
    do: "create_block",
    entry: trusted ? told : asData(told),
    was: {
      ...times,
      ...(id !== undefined && { id }),
      ...(trusted && author !== undefined && { author: chooseAuthor(author, portable, scope) }),
    },
  };
}

/** The entry as data that is found, and no more: nothing of it stands in a prompt by itself. */
function asData(told: NewMemoryEntry): NewMemoryEntry {
  const tier = told.kind === "message" && told.tier === "log" ? "log" : "archival";
  return { ...told, tier, pinned: false, trust: "untrusted" };
}

function withReferences(portable: PortableEntry, scope: string): NewMemoryEntry {
  const { supersededBy, ...entry } = portable.entry;
  if (supersededBy === undefined) return entry;
  return { ...entry, supersededBy: importedReference(supersededBy, portable, scope) };
}

function chooseAuthor(author: MemoryAuthor, portable: PortableEntry, scope: string): MemoryAuthor {
  const { sources } = author;
  if (!Array.isArray(sources)) return author;
  return { ...author, sources: sources.map((id) => importedReference(String(id), portable, scope)) };
}

/** What stands in every prompt and who may change it is the file's to say only where it is one's own. */
const dataFacts = ["label", "title", "names", "category", "tags", "validFrom", "validTo"] as const;
const ownFacts = [...dataFacts, "tier", "permission", "pinned"] as const;
const ofNothing: ChangedFacts = {
  names: [],
  tags: [],
  tier: "archival",
  permission: "read_write",
  pinned: false,
};

async function changes(
  existing: MemoryEntry,
  portable: PortableEntry,
  options: ImportOptions,
): Promise<readonly MemoryEdit[]> {
  const { entry, isWhole } = portable;
  const { id, revision } = existing;
  const edits: MemoryEdit[] = [];
  const trust = options.trusted ? (entry.trust ?? "trusted") : "untrusted";
  if (existing.deletedAt !== undefined) edits.push({ do: "restore_block", id, revision });
  if (entry.text !== existing.text)
    edits.push({ do: "update_block_text", id, revision, text: entry.text, trust });
  const facts: Record<string, unknown> = {};
  for (const name of options.trusted ? ownFacts : dataFacts) {
    const told = entry[name] ?? (isWhole ? (ofNothing[name] ?? null) : undefined);
    if (told !== undefined && !isSame(told, existing[name] ?? null)) facts[name] = told;
  }
  const successor = await findSuccessor(portable, options);
  if (successor !== undefined && successor !== existing.supersededBy) facts["supersededBy"] = successor;
  const isTold = Object.keys(facts).length > 0;
  if (isTold || (options.trusted && trust !== existing.trust))
    edits.push({ do: "set_block_facts", id, revision, facts, trust });
  return edits;
}

/** One that was left out of the file can't be named. */
async function findSuccessor(
  portable: PortableEntry,
  { store, scope }: ImportOptions,
): Promise<string | undefined> {
  const { supersededBy } = portable.entry;
  if (supersededBy === undefined) return undefined;
  const id = importedReference(supersededBy, portable, scope);
  return (await store.get(scope, id)) && id;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
