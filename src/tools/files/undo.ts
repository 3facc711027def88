import { createHash } from "node:crypto";
import { messageOf } from "../../base/index.ts";
import type { FileStatus } from "../../host/index.ts";
import type { CallContext, Effect, ToolContext } from "../../kernel/index.ts";
import type { FileChange } from "../../store/index.ts";
import { FileToolError } from "./errors.ts";
import { decodeFormer, type Former } from "./former.ts";
import { inodeOf, Journal } from "./journal.ts";
import type { FileServices } from "./services.ts";

/** What undoing a call will write: every path that the call changed. UNDO_UNKNOWN where that is none. */
export async function undoEffects(
  services: FileServices,
  callId: string,
  context: CallContext,
): Promise<readonly Effect[]> {
  const changes = await changesOf(services, context.scope ?? "local", callId);
  const paths = new Set(changes.map(({ path }) => path));
  return Array.from(paths, (path): Effect => {
    const located = services.workspace.locate(path, context, { follow: false });
    return { kind: "write", target: located.path, within: located.within };
  });
}

/**
 * Puts back what was there before a call, in all the files it changed or in none: UNDO_CONFLICT where one has changed
 * since. What it does is recorded under its own call, so it can be undone in turn. Returns the paths restored.
 */
export async function undoCall(
  services: FileServices,
  callId: string,
  context: ToolContext,
): Promise<readonly string[]> {
  const changes = await changesOf(services, context.scope, callId);
  const undo = new Undo(services, context);
  const steps = await undo.plan(changes);
  await undo.run(steps);
  await services.changes.markUndone(context.scope, callId);
  return steps.map(({ path }) => path);
}

async function changesOf(
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

interface Step {
  readonly path: string;
  readonly run: () => Promise<void>;
}

type Plan = Step | "done" | { readonly conflict: string };

class Undo {
  readonly #services: FileServices;
  readonly #context: ToolContext;
  readonly #journal: Journal;

  constructor(services: FileServices, context: ToolContext) {
    this.#services = services;
    this.#context = context;
    this.#journal = new Journal(services);
  }

  /** What is to do, the last change first. Throws UNDO_CONFLICT, naming every file that is in the way. */
  async plan(changes: readonly FileChange[]): Promise<Step[]> {
    const formers = new Map<FileChange, Former | null>();
    for (const change of changes) formers.set(change, await this.#formerOf(change));
    const targets = new Set(
      Array.from(formers.values(), (former) => (former?.kind === "moved" ? former.to : undefined)),
    );
    const steps: Step[] = [];
    const folders: Step[] = [];
    const conflicts: string[] = [];
    for (const change of changes.toReversed()) {
      if (change.before === null && targets.has(change.path)) continue;
      const plan = await this.#planOne(change, formers.get(change) ?? null);
      if (plan === "done") continue;
      if ("conflict" in plan) conflicts.push(`"${change.path}" ${plan.conflict}`);
      else if (change.before === null && change.afterHash === null) folders.push(plan);
      else steps.push(plan);
    }
    // A folder that the call made can go when what it put there has gone.
    if (conflicts.length === 0) return [...steps, ...folders];
    throw new FileToolError(
      "UNDO_CONFLICT",
      `Cannot undo call "${changes[0]?.callId}": ${conflicts.join("; ")}; nothing was restored, change the rest by hand`,
      { details: { conflicts } },
    );
  }

  /** Runs all steps; if one fails, those before are taken back. */
  async run(steps: readonly Step[]): Promise<void> {
    try {
      for (const step of steps) await step.run();
    } catch (error) {
      const { scope, callId } = this.#context;
      const done = await this.#services.changes.ofCall(scope, callId);
      const left = await this.#takeBack(done);
      if (left.length === 0) throw error;
      throw new FileToolError(
        "UNDO_INCOMPLETE",
        `Cannot undo all of it: ${messageOf(error)}; these were changed and could not be changed back: ${left.join(", ")}; look at each, or undo call "${callId}"`,
        { cause: error, details: { paths: left } },
      );
    }
  }

  /** Changes back what was done so far; gives the paths where that failed too. */
  async #takeBack(done: readonly FileChange[]): Promise<string[]> {
    let steps: readonly Step[];
    try {
      steps = await this.plan(done);
    } catch {
      return done.map(({ path }) => path);
    }
    const left: string[] = [];
    for (const { path, run } of steps) {
      try {
        await run();
      } catch {
        left.push(path);
      }
    }
    return left;
  }

  async #formerOf({ before, path, scope }: FileChange): Promise<Former | null> {
    if (before === null) return null;
    const data = await this.#services.artifacts.readBytes(scope, before.artifactId);
    if (data !== undefined) return decodeFormer(data);
    throw new FileToolError(
      "UNDO_CONFLICT",
      `Cannot undo the change of "${path}": its former content is kept no longer; put it back by hand`,
    );
  }

  async #planOne({ path, before, afterHash }: FileChange, former: Former | null): Promise<Plan> {
    const { workspace } = this.#services;
    const now = workspace.status(path, this.#context, { follow: false });
    if (former === null) {
      if (now === undefined) return "done";
      if (afterHash === null)
        return this.#step(path, async () => void workspace.removeMadeFolder(path, this.#context));
      if (now.type !== "file" || (await this.#hashOf(path)) !== afterHash) return changedSince;
      return this.#step(path, () => this.#removeFile(path));
    }
    switch (former.kind) {
      case "moved":
        return this.#planMove(path, former, now);
      case "folder":
        if (now !== undefined) return takenSince;
        return this.#step(path, () => workspace.restoreFolder(former, path, this.#context));
      case "link":
        if (now !== undefined)
          return now.type === "link" && workspace.linkTarget(path, this.#context) === former.target
            ? "done"
            : takenSince;
        return this.#step(path, async () => workspace.restoreLink(path, former.target, this.#context));
      case "bytes":
      case "kept":
        return this.#planContent(path, former, before?.mode ?? 0o644, afterHash, now);
    }
  }

  #planMove(path: string, former: Former & { kind: "moved" }, now: FileStatus | undefined): Plan {
    const { workspace } = this.#services;
    const there = workspace.status(former.to, this.#context, { follow: false });
    if (there === undefined)
      return now === undefined ? { conflict: `is no longer at "${former.to}"` } : "done";
    if (now !== undefined) return takenSince;
    const [device] = former.inode.split(":");
    const sameDevice = there.version.split(":")[0] === device;
    if (sameDevice && inodeOf(there) !== former.inode) return { conflict: `was replaced at "${former.to}"` };
    return this.#step(path, async () => {
      await this.#journal.move(former.to, there, path, this.#context);
      await workspace.move(former.to, path, this.#context);
    });
  }

  async #planContent(
    path: string,
    former: Former & { kind: "bytes" | "kept" },
    mode: number,
    afterHash: string | null,
    now: FileStatus | undefined,
  ): Promise<Plan> {
    const hash = now?.type === "file" ? await this.#hashOf(path) : undefined;
    if (now !== undefined && (hash === undefined || hash !== afterHash)) {
      return hash !== undefined && hash === (await this.#formerHash(former))
        ? "done"
        : afterHash === null
          ? takenSince
          : changedSince;
    }
    if (now === undefined && afterHash !== null) return { conflict: "was deleted since" };
    return this.#step(path, () => this.#restore(path, former, mode));
  }

  #step(path: string, run: () => Promise<void>): Step {
    return { path, run };
  }

  async #restore(path: string, former: Former & { kind: "bytes" | "kept" }, mode: number): Promise<void> {
    const { workspace } = this.#services;
    using staged = workspace.stage(path, this.#context, { mode });
    if (former.kind === "bytes") await staged.write(former.bytes);
    else {
      using kept = workspace.openKept(former);
      for await (const chunk of kept.chunks(this.#context.signal)) await staged.write(chunk);
    }
    await this.#journal.commit(staged, this.#context);
  }

  async #removeFile(path: string): Promise<void> {
    const { workspace } = this.#services;
    using file = workspace.open(path, this.#context);
    await this.#journal.fileRemoval(file, this.#context);
    workspace.remove(path, this.#context, "write");
  }

  async #hashOf(path: string): Promise<string> {
    using file = this.#services.workspace.open(path, this.#context);
    return await file.hash(this.#context.signal);
  }

  async #formerHash(former: Former & { kind: "bytes" | "kept" }): Promise<string> {
    if (former.kind === "kept") {
      using kept = this.#services.workspace.openKept(former);
      return await kept.hash(this.#context.signal);
    }
    return createHash("sha256").update(former.bytes).digest("hex");
  }
}

const changedSince: Plan = { conflict: "has changed since" };
const takenSince: Plan = { conflict: "is there again" };
