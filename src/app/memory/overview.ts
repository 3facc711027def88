import { stat } from "node:fs/promises";
import type { Job } from "../../modules/jobs/index.ts";
import { type MemoryListing, memoryKinds, memoryTiers } from "../../modules/memory/index.ts";
import type { MemoryWaiting } from "../../modules/memory/upkeep/index.ts";
import { findFailedJobs } from "./failed-jobs.ts";
import { type OwnMemory, ownKinds } from "./own-memory.ts";

/** What is remembered for one scope, where it lies, and what waits to be done. Nobody counts past 10,000. */
export interface Overview {
  readonly scope: string;
  /** What the notes and the profile of the project folder go by. */
  readonly project: string;
  readonly total: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly tiers: Readonly<Record<string, number>>;
  readonly pinned: number;
  /** The number of these entries that others shared. */
  readonly shared: number;
  /** Texts of all scopes that can be found by their meaning. Undefined: they are not compared by it. */
  readonly meaning: { readonly made: number; readonly of: number; readonly model: string } | undefined;
  readonly waiting: string | undefined;
  /** Jobs that were given up. */
  readonly failed: readonly Job[];
  readonly database: string;
  /** The size of the whole database, in bytes. */
  readonly databaseBytes: number | undefined;
  /** The folder for Markdown files. */
  readonly folder: string;
}

const otherKinds = "other";

export async function readOverview({ app, scope, store, memory }: OwnMemory): Promise<Overview> {
  const [opened, { files }] = await Promise.all([app.store(), app.memory.filed()]);
  // Once with the files: they are not looked at again for every number.
  await store.list(scope, { limit: 1 });
  const count = async (listing: MemoryListing) =>
    (await opened.memory.list(scope, { exceptKinds: ownKinds, ...listing, limit: 1 })).total;
  const failed = await findFailedJobs(opened.jobs, scope);
  const embedder = await app.memory.embedder();
  return {
    scope: memory.scope,
    project: app.memory.project,
    total: await count({}),
    kinds: await countEach([...memoryKinds, otherKinds], (kind) =>
      count(
        kind === otherKinds
          ? { exceptKinds: [...ownKinds, ...memoryKinds] }
          : { kinds: [kind], exceptKinds: [] },
      ),
    ),
    tiers: await countEach(memoryTiers, (tier) => count({ tiers: [tier] })),
    pinned: await count({ pinned: true }),
    shared: await count({ owned: "shared" }),
    meaning:
      embedder === undefined
        ? undefined
        : { ...(await opened.memory.progress()), model: embedder.about ?? embedder.id },
    waiting: waitingText(await (await app.memory.jobs()).waiting(scope), failed.length),
    failed,
    database: opened.path,
    databaseBytes: await measureBytes(opened.path),
    folder: files.folder(scope).path,
  };
}

/** Undefined: nothing waits. */
function waitingText(
  { unobservedTokens, complete, note }: MemoryWaiting,
  failed: number,
): string | undefined {
  const tokens = `${complete ? "" : "more than "}${unobservedTokens.toLocaleString("en")} tokens of conversation`;
  const goesOn = `${tokens}: \`haft serve\` or \`haft mcp\` has a model note what a conversation tells, once it is long enough`;
  const parts = [
    note ?? (unobservedTokens === 0 ? undefined : goesOn),
    failed === 0 ? undefined : `${failed} ${failed === 1 ? "job" : "jobs"} for \`haft memory retry\``,
  ];
  return parts.filter((part) => part !== undefined).join("; ") || undefined;
}

async function countEach<Word extends string>(
  words: readonly Word[],
  count: (word: Word) => Promise<number>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) {
    const found = await count(word);
    if (found > 0) counts[word] = found;
  }
  return counts;
}

/** The size of the database with what was not put into the file itself yet. */
async function measureBytes(path: string): Promise<number | undefined> {
  const sizes = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => undefined,
      ),
    ),
  );
  return sizes[0] === undefined ? undefined : sizes[0] + (sizes[1] ?? 0);
}
