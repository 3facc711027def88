import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import {
  type FileAccess,
  type ReflogState,
  type RepositoryState,
  rebuildReflog,
  type Snapshots,
} from "../../../host/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import { FileToolError } from "../errors.ts";
import type { FileServices } from "../services.ts";
import { pinRepository } from "./command-journal.ts";
import type { Journal } from "./journal.ts";
import type { FormerRepository } from "./revision.ts";
import type { UndoStep } from "./undo-snapshot.ts";

/** Changes of a command in the git repository of one folder. */
export interface RepositoryChanges {
  readonly folder: string;
  /** Folder in which git keeps the repository. */
  readonly git: string;
  readonly before: RepositoryState;
  readonly after: RepositoryState;
}

/** Pairs the states of one call, repository by repository; a missing second state is taken now. */
export async function readRepositoryChanges(
  { snapshots }: FileServices,
  formers: readonly FormerRepository[],
): Promise<readonly RepositoryChanges[]> {
  const read: RepositoryChanges[] = [];
  for (const [folder, [first, last]] of Map.groupBy(formers, (former) => former.folder)) {
    if (first === undefined) continue;
    const after =
      last?.state ?? (await snapshots?.takeRepository(folder, Object.keys(first.state.refs))) ?? noSnapshots;
    if (typeof after === "string")
      throw new FileToolError(
        "UNDO_CONFLICT",
        `Cannot undo what a command changed in the repository of "${folder}": ${after}; put it back by hand`,
      );
    read.push({ folder, git: join(folder, ".git"), before: first.state, after });
  }
  return read;
}

const noSnapshots = "no snapshots are taken any more";

/** Parts of a state in the order in which they are put back: a name of a file below `.git`, and what identifies its content. */
function collectParts({ head, refs, logs, index }: RepositoryState): ReadonlyMap<string, string | null> {
  return new Map([
    ...Object.entries(refs),
    ...Object.entries(logs).map(
      ([name, log]) => [`logs/${name}`, log && `${log.bytes} ${log.hash}`] as const,
    ),
    ["HEAD", head] as const,
    ["index", index && index.entries] as const,
  ]);
}

/** Puts the state of a repository back that a command changed: HEAD, refs, reflogs and the index. */
export class RepositoryUndo {
  readonly #services: FileServices;
  readonly #access: FileAccess;
  readonly #journal: Journal;

  constructor(services: FileServices, access: FileAccess, journal: Journal) {
    this.#services = services;
    this.#access = access;
    this.#journal = journal;
  }

  /** Returns the step to take, if there is any; adds what is in the way to the conflicts. */
  async plan(changes: RepositoryChanges, conflicts: string[]): Promise<readonly UndoStep[]> {
    const { folder, git, before, after } = changes;
    const { snapshots } = this.#services;
    const now = (await snapshots?.takeRepository(folder, Object.keys(before.refs))) ?? noSnapshots;
    if (snapshots === undefined || typeof now === "string") {
      conflicts.push(`"${git}" can't be put back: ${now as string}`);
      return [];
    }
    const [left, there] = [collectParts(after), collectParts(now)];
    const names: string[] = [];
    const found: string[] = [];
    for (const [name, former] of collectParts(before)) {
      const [ended, present] = [left.get(name) ?? null, there.get(name) ?? null];
      if (present === ended && ended !== former) names.push(name);
      else if (
        present !== former &&
        present !== ended &&
        !(isLoose(name) || (name === "index" && ended === former))
      )
        found.push(`"${join(git, name)}" has changed since`);
    }
    if (names.length > 0 && found.length === 0) found.push(...(await this.#findObstacles(changes, names)));
    conflicts.push(...found);
    if (names.length === 0 || found.length > 0) return [];
    return [{ path: git, run: (context) => this.#restore(changes, { names, now, snapshots }, context) }];
  }

  /** What would keep the files from being put back, or the repository from being whole then. */
  async #findObstacles(
    { folder, git, before }: RepositoryChanges,
    names: readonly string[],
  ): Promise<readonly string[]> {
    const { workspace, snapshots } = this.#services;
    const found: string[] = [];
    for (const name of [...names, "HEAD", "index", "packed-refs"].filter((one) => !one.startsWith("logs/"))) {
      const lock = join(git, `${name}.lock`);
      if (workspace.status(lock, this.#access, { follow: false }) !== undefined)
        return [`git is at work, or was killed: "${lock}" is there; delete it if no git runs`];
    }
    for (const name of names) {
      const path = join(git, name);
      const log = findLog(before, name);
      if (log && (await this.#rebuild(path, log, this.#access)) === undefined)
        found.push(`"${path}" was rewritten`);
      if (before.refs[name] === null && snapshots?.isPacked(folder, name) === true)
        found.push(`"${path}" is packed by now`);
    }
    if ((await snapshots?.hasObjects(folder, before)) !== true)
      found.push(`"${git}" no longer has all that it had`);
    return found;
  }

  async #restore(
    { folder, git, before }: RepositoryChanges,
    { names, now, snapshots }: { names: readonly string[]; now: RepositoryState; snapshots: Snapshots },
    context: ToolContext,
  ): Promise<void> {
    const { workspace } = this.#services;
    const record = async (state: RepositoryState) => {
      pinRepository(snapshots, folder, state);
      await this.#journal.state(git, { kind: "repository", folder, state }, context);
    };
    await record(now);
    for (const name of names) {
      const path = join(git, name);
      const content = await this.#formerContent(name, path, before, { folder, context, snapshots });
      if (content === undefined) workspace.remove(path, context, "write");
      else {
        using staged = workspace.stage(path, context);
        await staged.write(content);
        staged.commit({ durable: this.#services.durable ?? false });
      }
    }
    const left = await snapshots.takeRepository(folder, Object.keys(before.refs));
    if (typeof left !== "string") await record(left);
  }

  /** Content that a file of the repository had; undefined if there was none. */
  async #formerContent(
    name: string,
    path: string,
    { head, refs, logs, index }: RepositoryState,
    { folder, context, snapshots }: { folder: string; context: ToolContext; snapshots: Snapshots },
  ): Promise<Uint8Array | undefined> {
    if (name === "HEAD") return Buffer.from(head);
    if (name === "index") {
      if (index === null) return undefined;
      return buffer(snapshots.readBlob(folder, index.blob));
    }
    const log = findLog({ logs }, name);
    if (log) {
      const content = await this.#rebuild(path, log, context);
      if (content !== undefined) return content;
      throw new FileToolError("UNDO_CONFLICT", `Cannot put "${path}" back: it was rewritten; look at it`);
    }
    const id = refs[name];
    return id ? Buffer.from(`${id}\n`) : undefined;
  }

  async #rebuild(path: string, log: ReflogState, access: FileAccess): Promise<Uint8Array | undefined> {
    const { workspace } = this.#services;
    if (workspace.status(path, access, { follow: false }) === undefined)
      return rebuildReflog(new Uint8Array(), log);
    using file = workspace.open(path, access);
    return rebuildReflog(await file.bytes(mostLogBytes, access.signal), log);
  }
}

function findLog({ logs }: Pick<RepositoryState, "logs">, name: string): ReflogState | null | undefined {
  return name.startsWith("logs/") ? logs[name.slice("logs/".length)] : undefined;
}

const mostLogBytes = 64 * 1024 * 1024;

/** Refs that say what git did last; what they stood for before is of no use once they have changed. */
function isLoose(name: string): boolean {
  return name === "ORIG_HEAD" || name === "AUTO_MERGE";
}
