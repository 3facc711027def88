import { createHash } from "node:crypto";
import { getErrorMessage } from "../../../base/index.ts";
import { type FileAccess, type FileStatus, isInside, type UndoFolder } from "../../../host/index.ts";
import type { CallContext, CheckContext, Effect, ToolContext } from "../../../kernel/index.ts";
import type { FileChange } from "../../undo/index.ts";
import { FileToolError } from "../errors.ts";
import { lookAt } from "../file-effect.ts";
import { type FormerRow, type Formers, joinRows, readFormers } from "../former-rows.ts";
import type { FileServices } from "../services.ts";
import { Journal, linkHash, readInode } from "./journal.ts";
import type { Former } from "./revision.ts";
import { RepositoryUndo } from "./undo-repository.ts";
import {
  type CommandChanges,
  madeFolders,
  SnapshotUndo,
  type UndoPlan,
  type UndoStep,
} from "./undo-snapshot.ts";

/** What undoing a call will write: every path that the call changed. UNDO_UNKNOWN where that is none. */
export async function undoEffects(
  services: FileServices,
  callId: string,
  context: CallContext,
): Promise<readonly Effect[]> {
  const changes = await listChanges(services, context.scope ?? "local", callId);
  const formers = await readFormers(services, changes);
  const repositories = new Set(formers.repositories.map(({ git }) => git));
  return toEffects(services, changedPaths(formers), context).map((effect) =>
    repositories.has(effect.target) ? { ...effect, asks: whatOfGit } : effect,
  );
}

/** Said beside the rule on `.git`, whose reason is about hooks and settings. */
const whatOfGit =
  "of .git only HEAD, refs, their logs and the index are put back as they were; hooks and settings are left alone";

function toEffects(
  { workspace }: FileServices,
  paths: ReadonlySet<string>,
  context: CallContext,
): readonly Effect[] {
  return Array.from(paths, (path): Effect => {
    const located = workspace.locate(path, context, { follow: false });
    return { kind: "write", target: located.path, within: located.within };
  });
}

function changedPaths({ rows, commands, repositories }: Formers): ReadonlySet<string> {
  const paths = new Set(rows.map(({ change }) => change.path));
  for (const { folder, changes } of commands)
    for (const path of [...changes.map((change) => change.path), ...madeFolders(folder, changes)])
      paths.add(path);
  for (const { git } of repositories) paths.add(git);
  return paths;
}

export interface UndoneCall {
  /** Paths that are as they were before the call. */
  readonly restored: readonly string[];
  /** Other commands that ran in the folder at the same time: what they changed was taken back with it. */
  readonly alongside: readonly string[];
}

/**
 * Puts back what was there before a call, in all the files it changed or in none: UNDO_CONFLICT where one has changed
 * since. The calls that it made are undone with it, the last first. What undo does is recorded under its own call, so
 * it can be undone in turn.
 */
export async function undoCall(
  services: FileServices,
  callId: string,
  context: ToolContext,
): Promise<UndoneCall> {
  const changes = await listChanges(services, context.scope, callId);
  const undone = await new Undo(services, context).undo(callId, changes);
  await services.changes.markUndone(context.scope, callId);
  return undone;
}

/**
 * Throws the UNDO_CONFLICT that undoing a call would end with, if every file that it changed may be looked at unasked. The
 * calls that it made are undone the last first: one that changed what a later one changed again can't be judged by the
 * files as they are now.
 */
export async function checkUndo(
  services: FileServices,
  callId: string,
  context: CheckContext,
): Promise<void> {
  const later: string[] = [];
  for (const ofCall of groupByCall(await listChanges(services, context.scope, callId)).toReversed()) {
    const formers = await readFormers(services, ofCall);
    const paths = changedPaths(formers);
    const effects = toEffects(services, paths, context);
    const targets = effects.map(({ target }) => target);
    const access = lookAt(services.workspace, targets, context, { follow: false, effects });
    if (access === undefined) return;
    const changedAgain = Array.from(paths).some((path) =>
      later.some((one) => isInside(one, path) || isInside(path, one)),
    );
    if (!changedAgain) await new UndoPlanner(services, access).plan(callId, formers);
    later.push(...paths);
  }
}

/** Changes of each call, in the order of the calls. */
function groupByCall(changes: readonly FileChange[]): readonly (readonly FileChange[])[] {
  return Array.from(Map.groupBy(changes, (change) => change.callId).values());
}

async function listChanges(
  { changes }: FileServices,
  scope: string,
  callId: string,
): Promise<readonly FileChange[]> {
  const found = await changes.ofCall(scope, callId);
  if (found.length > 0) return found;
  throw new FileToolError(
    "UNDO_UNKNOWN",
    `Cannot undo call "${callId}": it changed no file, or was undone already; give the id of a call that changed files`,
  );
}

class Undo {
  readonly #services: FileServices;
  readonly #context: ToolContext;
  readonly #planner: UndoPlanner;

  constructor(services: FileServices, context: ToolContext) {
    this.#services = services;
    this.#context = context;
    this.#planner = new UndoPlanner(services, context);
  }

  /** Undoes the calls that the changes are of, the last first; if one can't be, those before are put back. */
  async undo(callId: string, changes: readonly FileChange[]): Promise<UndoneCall> {
    const restored: string[] = [];
    const alongside = new Set<string>();
    try {
      for (const ofCall of groupByCall(changes).toReversed()) {
        const formers = await readFormers(this.#services, ofCall);
        const steps = await this.#planner.plan(callId, formers);
        for (const { run } of steps) await run(this.#context);
        restored.push(...steps.map(({ path }) => path));
        for (const command of formers.commands) for (const id of command.alongside) alongside.add(id);
      }
    } catch (error) {
      await this.#takeBackAll(error);
    }
    return { restored, alongside: Array.from(alongside) };
  }

  /** @throws what went wrong, once all that was done before is changed back. */
  async #takeBackAll(error: unknown): Promise<never> {
    const { scope, callId } = this.#context;
    const left = await this.#takeBack(await this.#services.changes.ofCall(scope, callId));
    if (left.length === 0) throw error;
    throw new FileToolError(
      "UNDO_INCOMPLETE",
      `Cannot undo all of it: ${getErrorMessage(error)}; these were changed and could not be changed back: ${left.join(", ")}; look at each, or undo call "${callId}"`,
      { cause: error, details: { paths: left } },
    );
  }

  /** Changes back what was done so far; gives the paths where that failed too. */
  async #takeBack(done: readonly FileChange[]): Promise<string[]> {
    let steps: readonly UndoStep[];
    try {
      steps = await this.#planner.plan(this.#context.callId, await readFormers(this.#services, done));
    } catch {
      return done.map(({ path }) => path);
    }
    const left: string[] = [];
    for (const { path, run } of steps) {
      try {
        await run(this.#context);
      } catch {
        left.push(path);
      }
    }
    return left;
  }
}

/** Finds out how to put files back, without changing any. */
class UndoPlanner {
  readonly #services: FileServices;
  readonly #access: FileAccess;
  readonly #journal: Journal;

  constructor(services: FileServices, access: FileAccess) {
    this.#services = services;
    this.#access = access;
    this.#journal = new Journal(services);
  }

  /** What is to do, the last change first. Throws UNDO_CONFLICT, naming every file that is in the way. */
  async plan(callId: string, { rows, commands, repositories }: Formers): Promise<UndoStep[]> {
    const targets = new Set(rows.map(({ former }) => (former?.kind === "moved" ? former.to : undefined)));
    const steps: UndoStep[] = [];
    const folders: UndoStep[] = [];
    const conflicts: string[] = [];
    for (const { change, former } of joinRows(rows).toReversed()) {
      if (change.before === null && targets.has(change.path)) continue;
      const plan = await this.#planOne(change, former);
      if (plan === "done") continue;
      if ("conflict" in plan) conflicts.push(`"${change.path}" ${plan.conflict}`);
      else if (change.before === null && change.afterHash === null) folders.push(plan);
      else steps.push(plan);
    }
    for (const command of commands) steps.push(...(await this.#planCommand(command, conflicts)));
    const git = new RepositoryUndo(this.#services, this.#access, this.#journal);
    for (const repository of repositories) steps.push(...(await git.plan(repository, conflicts)));
    // A folder that the call made can go when what it put there has gone.
    if (conflicts.length === 0) return [...steps, ...folders];
    throw new FileToolError(
      "UNDO_CONFLICT",
      `Cannot undo call "${callId}": ${conflicts.join("; ")}; nothing was restored, change the rest by hand`,
      { details: { conflicts } },
    );
  }

  /** What it made goes first: what it took away may have stood where a folder is now. */
  async #planCommand(command: CommandChanges, conflicts: string[]): Promise<UndoStep[]> {
    const undo = new SnapshotUndo(this.#services, this.#access, this.#journal);
    const [removals, restored]: [UndoStep[], UndoStep[]] = [[], []];
    for (const change of command.changes) {
      const plan = await undo.planOne(command.folder, change);
      if (plan === "done") continue;
      if ("conflict" in plan) conflicts.push(`"${change.path}" ${plan.conflict}`);
      else (change.before === undefined ? removals : restored).push(plan);
    }
    return [...removals, ...undo.planFolders(command), ...restored];
  }

  async #planOne({ path, before, afterHash }: FileChange, former: FormerRow["former"]): Promise<UndoPlan> {
    const { workspace } = this.#services;
    const now = workspace.status(path, this.#access, { follow: false });
    if (former === null) {
      if (now === undefined) return "done";
      if (afterHash === null)
        return this.#step(path, async (context) => void workspace.removeMadeFolder(path, context));
      if ((await this.#hashNow(path, now)) !== afterHash) return changedSince;
      return this.#step(path, (context) =>
        now.type === "link" ? this.#removeLink(path, context) : this.#removeFile(path, context),
      );
    }
    switch (former.kind) {
      case "moved":
        return this.#planMove(path, former, now);
      case "folder":
        if (now !== undefined) return takenSince;
        this.#checkKept(path, { name: former.name });
        return this.#step(path, (context) => workspace.restoreFolder(former, path, context));
      case "link":
        return this.#planLink(path, former.target, afterHash, now);
      case "bytes":
      case "kept":
        return this.#planContent(path, former, before?.mode ?? 0o644, afterHash, now);
    }
  }

  async #planLink(
    path: string,
    target: string,
    afterHash: string | null,
    now: FileStatus | undefined,
  ): Promise<UndoPlan> {
    const { workspace } = this.#services;
    const restore = (context: ToolContext) => workspace.restoreLink(path, target, context);
    if (now === undefined) return this.#step(path, async (context) => restore(context));
    const hash = await this.#hashNow(path, now);
    if (hash === linkHash(target)) return "done";
    if (hash !== afterHash || now.type !== "link") return takenSince;
    return this.#step(path, async (context) => {
      await this.#removeLink(path, context);
      restore(context);
    });
  }

  #planMove(path: string, former: Former & { kind: "moved" }, now: FileStatus | undefined): UndoPlan {
    const { workspace } = this.#services;
    const there = workspace.status(former.to, this.#access, { follow: false });
    if (there === undefined)
      return now === undefined ? { conflict: `is no longer at "${former.to}"` } : "done";
    if (now !== undefined) return takenSince;
    const [device] = former.inode.split(":");
    const sameDevice = there.version.split(":")[0] === device;
    if (sameDevice && readInode(there) !== former.inode)
      return { conflict: `was replaced at "${former.to}"` };
    return this.#step(path, async (context) => {
      await this.#journal.move(former.to, there, path, context);
      await workspace.move(former.to, path, context);
    });
  }

  async #planContent(
    path: string,
    former: Former & { kind: "bytes" | "kept" },
    mode: number,
    afterHash: string | null,
    now: FileStatus | undefined,
  ): Promise<UndoPlan> {
    if (former.kind === "kept") this.#checkKept(path, former);
    const hash = now?.type === "file" ? await this.#hashFile(path) : undefined;
    if (now !== undefined && (hash === undefined || hash !== afterHash)) {
      return hash !== undefined && hash === (await this.#formerHash(former))
        ? "done"
        : afterHash === null
          ? takenSince
          : changedSince;
    }
    if (now === undefined && afterHash !== null) return { conflict: "was deleted since" };
    return this.#step(path, (context) => this.#restore(path, former, mode, context));
  }

  /** @throws {FileToolError} UNDO_NOT_KEPT if the kept entry is gone or was changed. */
  #checkKept(path: string, entry: Parameters<UndoFolder["find"]>[0]): void {
    try {
      this.#services.workspace.undo.find(entry);
    } catch (error) {
      throw new FileToolError(
        "UNDO_NOT_KEPT",
        `Cannot undo the change of "${path}": ${getErrorMessage(error)}; put it back by hand`,
        { cause: error },
      );
    }
  }

  #step(path: string, run: UndoStep["run"]): UndoStep {
    return { path, run };
  }

  async #restore(
    path: string,
    former: Former & { kind: "bytes" | "kept" },
    mode: number,
    context: ToolContext,
  ): Promise<void> {
    const { workspace } = this.#services;
    using staged = workspace.stage(path, context, { mode });
    if (former.kind === "bytes") await staged.write(former.bytes);
    else {
      using kept = workspace.openKept(former);
      for await (const chunk of kept.chunks(context.signal)) await staged.write(chunk);
    }
    await this.#journal.commit(staged, context);
  }

  async #removeFile(path: string, context: ToolContext): Promise<void> {
    const { workspace } = this.#services;
    using file = workspace.open(path, context);
    await this.#journal.fileRemoval(file, context);
    workspace.remove(path, context, "write");
  }

  async #removeLink(path: string, context: ToolContext): Promise<void> {
    const { workspace } = this.#services;
    await this.#journal.linkRemoval(path, workspace.linkTarget(path, context), context);
    workspace.remove(path, context, "write");
  }

  /** The hash of the file, as `afterHash` has it; undefined of what is neither a file nor a link. */
  async #hashNow(path: string, now: FileStatus): Promise<string | undefined> {
    if (now.type === "link") return linkHash(this.#services.workspace.linkTarget(path, this.#access));
    return now.type === "file" ? this.#hashFile(path) : undefined;
  }

  async #hashFile(path: string): Promise<string> {
    using file = this.#services.workspace.open(path, this.#access);
    return await file.hash(this.#access.signal);
  }

  async #formerHash(former: Former & { kind: "bytes" | "kept" }): Promise<string> {
    if (former.kind === "kept") {
      using kept = this.#services.workspace.openKept(former);
      return await kept.hash(this.#access.signal);
    }
    return createHash("sha256").update(former.bytes).digest("hex");
  }
}

const changedSince: UndoPlan = { conflict: "has changed since" };
const takenSince: UndoPlan = { conflict: "is there again" };
