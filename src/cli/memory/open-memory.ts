import type { App } from "../../app/index.ts";
import {
  findMemoryScope,
  Memory,
  type MemoryAuthor,
  type MemoryEntry,
  type MemoryStore,
} from "../../modules/memory/index.ts";
import { ownerIdentity } from "../asking/owner-identity.ts";
import { refuseTools } from "../asking/owner-only.ts";
import { CliError } from "../errors.ts";
import { checkAgent } from "../options/agent.ts";
import type { Session } from "../session.ts";

/** The options that every command of memory has. */
export interface MemoryOptions {
  /** `-`: none. */
  readonly agent?: string;
}

/** The memory of one scope, as its owner has it. */
export interface OwnMemory {
  readonly app: App;
  readonly scope: string;
  readonly author: MemoryAuthor;
  /** The store as it is searched and listed, with the files of the memory folder. */
  readonly store: MemoryStore;
  readonly memory: Memory;
}

/** @throws {CliError} CLI_UNCONFIRMED where a tool started this: no tool has what its owner has. */
export async function openMemory(session: Session, of: MemoryOptions): Promise<OwnMemory> {
  await refuseTools("work with memory");
  const app = await session.openApp();
  session.warn(app.loaded.warnings);
  const { store } = await app.memory.filed();
  const agent = of.agent === "-" ? undefined : of.agent;
  const scope = findMemoryScope({ ...app.context, ...(agent !== undefined && { agentId: agent }) });
  if (agent !== undefined && !(await hasEntries(store, scope))) {
    if (agent === app.context.scope)
      throw new CliError(
        "CLI_NOT_FOUND",
        `Cannot find an agent "${agent}": that is a scope, whose memory you have without --agent`,
      );
    await checkAgent(await session.openApp({ sources: "once", servers: [] }), agent);
  }
  const author = { by: ownerIdentity(), channel: "cli" };
  return { app, scope, author, store, memory: new Memory(store, { scope, author, owner: true }) };
}

async function hasEntries(store: MemoryStore, scope: string): Promise<boolean> {
  const { total } = await store.list(scope, { with: ["deleted", "superseded", "invalid"], limit: 1 });
  return total > 0;
}

/** Finds an entry by id or label; one that was deleted by the label that it had, too. */
export async function findEntry({ memory, store, scope }: OwnMemory, key: string): Promise<MemoryEntry> {
  const found = (await memory.findBlock(key)) ?? (await findDeleted(store, scope, key));
  return found ?? memory.getBlock(key);
}

async function findDeleted(
  store: MemoryStore,
  scope: string,
  label: string,
): Promise<MemoryEntry | undefined> {
  const { entries } = await store.list(scope, {
    labelPrefix: label,
    with: ["deleted", "superseded", "invalid"],
    owned: "own",
    order: "label",
    limit: 100,
  });
  return entries
    .filter((entry) => entry.label === label)
    .toSorted((a, b) => b.changedAt - a.changedAt)
    .at(0);
}
