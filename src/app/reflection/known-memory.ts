import type { MemoryEntry } from "../../modules/memory/index.ts";
import type { MemoryService } from "../../modules/memory/module.ts";

/** What is remembered already, for a prompt: what is known in full, and an index of what happened. */
export interface KnownMemory {
  readonly facts: readonly object[];
  readonly episodes: readonly object[];
  /** Number of entries from outside. They are not listed; the tools of memory find them and mark them. */
  readonly untrusted: number;
}

/** Maximum number of memories and notes that are listed, newest first. */
const mostListed = 200;

/**
 * Lists what a scope remembers: the files in `facts/`, blocks, profiles and single memories in full, and the names of all
 * other files and notes. Entries from outside are only counted.
 */
export async function listKnownMemory(
  memory: Pick<MemoryService, "filed">,
  scope: string,
  signal: AbortSignal,
): Promise<KnownMemory> {
  const { files, store } = await memory.filed();
  const found = await files.sync(scope, signal).catch(() => []);
  const facts: object[] = [];
  const episodes: object[] = [];
  let untrusted = 0;
  for (const { path, summary, trust, problem } of found) {
    if (trust === "untrusted") untrusted++;
    else if (path.startsWith("facts/") && problem === undefined)
      facts.push({ file: path, text: (await files.folder(scope).readOwn(path, signal)).text });
    else episodes.push({ file: path, summary });
  }
  const { entries } = await store.list(scope, {
    kinds: ["block", "profile", "memory", "observation", "note"],
    owned: "own",
    limit: mostListed,
  });
  for (const entry of entries) {
    if (entry.trust === "untrusted") untrusted++;
    else if (entry.kind === "note") episodes.push({ note: entry.title ?? entry.label ?? entry.id });
    else facts.push({ [entry.kind]: name(entry), text: entry.text });
  }
  return { facts, episodes, untrusted };
}

function name({ label, id }: MemoryEntry): string {
  return label ?? id;
}
