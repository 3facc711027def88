import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type FileAccess,
  Snapshots,
  UndoFolder,
  Workspace,
  type WorkspaceOptions,
} from "../../src/host/index.ts";
import {
  type ArtifactStore,
  type CallContext,
  type Effect,
  type NewArtifact,
  noTools,
  type StandardSchema,
  type Tool,
  type ToolContext,
} from "../../src/kernel/index.ts";
import { type FileServices, fileTools } from "../../src/modules/files/index.ts";
import type { ChangeLog, FileChange } from "../../src/modules/undo/index.ts";

/** A folder with a workspace in it, a place outside it, and the file tools over it; gone at the end of the test. */
export class FileBench implements Disposable {
  readonly folder: string;
  /** The one allowed folder. */
  readonly root: string;
  /** Beside it: nothing here may be touched. */
  readonly outside: string;
  readonly workspace: Workspace;
  readonly artifacts: MemoryArtifacts = new MemoryArtifacts();
  readonly changes: MemoryChanges = new MemoryChanges();
  readonly tools: ReadonlyMap<string, Tool>;
  #calls = 0;

  constructor(
    options: Partial<WorkspaceOptions> &
      Pick<FileServices, "seen"> & { readonly in?: string; readonly snapshots?: boolean } = {},
  ) {
    this.folder = realpathSync(mkdtempSync(join(options.in ?? tmpdir(), "haft-files-")));
    this.root = join(this.folder, "work");
    this.outside = join(this.folder, "outside");
    mkdirSync(this.root);
    mkdirSync(this.outside);
    this.workspace = new Workspace({ undo: new UndoFolder(join(this.folder, "undo")), ...options });
    const { workspace, artifacts, changes } = this;
    const { coding, task, undo } = fileTools({
      workspace,
      artifacts,
      changes,
      ...(options.seen && { seen: options.seen }),
      ...(options.snapshots === true && {
        snapshots: new Snapshots({ folder: join(this.folder, "snapshots") }),
      }),
    });
    this.tools = new Map([...coding, ...task, undo].map((tool) => [tool.name, tool]));
  }

  path(...names: readonly string[]): string {
    return join(this.root, ...names);
  }

  access(given: Partial<FileAccess> = {}): FileAccess {
    return { allowedPaths: [this.root], effects: [], signal: new AbortController().signal, ...given };
  }

  /** Calls a tool as the gate does once all its effects are allowed. */
  async call(
    name: string,
    params: unknown,
    context: CallContext & { readonly effects?: readonly Effect[]; readonly outerCallId?: string } = {},
  ): Promise<unknown> {
    const tool = this.tools.get(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const checked = await (tool.parameters as StandardSchema)["~standard"].validate(params);
    if (checked.issues !== undefined)
      throw new Error(`invalid: ${checked.issues.map(({ message }) => message).join("; ")}`);
    const bounds = { allowedPaths: [this.root], callId: `call-${++this.#calls}`, ...context };
    const effects = context.effects ?? (await tool.effects?.(checked.value as never, bounds)) ?? [];
    const { outerCallId } = context;
    return tool.execute(checked.value as never, { ...toToolContext(bounds, effects), outerCallId });
  }

  /** Runs the check of a tool as the gate does before a question, where everything may be looked at. */
  async check(name: string, params: unknown): Promise<void> {
    await this.tools.get(name)?.check?.(params as never, {
      scope: "local",
      allowedPaths: [this.root],
      signal: new AbortController().signal,
      allows: () => true,
    });
  }

  /** As a tool gets it, of a call with this id. */
  toContext(callId: string): ToolContext {
    return toToolContext({ allowedPaths: [this.root], callId }, []);
  }

  async foreseeEffects(
    name: string,
    params: unknown,
    context: CallContext = {},
  ): Promise<readonly Effect[] | undefined> {
    return this.tools.get(name)?.effects?.(params as never, { allowedPaths: [this.root], ...context });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function toToolContext(given: CallContext, effects: readonly Effect[]): ToolContext {
  return {
    callId: given.callId ?? "call",
    taskId: given.taskId,
    agentId: given.agentId,
    userId: given.userId,
    scope: given.scope ?? "local",
    origin: given.origin,
    allowedPaths: given.allowedPaths ?? [],
    allowedHosts: given.allowedHosts ?? [],
    effects,
    trust: given.trust ?? "trusted",
    signal: given.signal ?? new AbortController().signal,
    deadline: Date.now() + 30_000,
    progress() {},
    output() {},
    wait: async (act) => act(new AbortController().signal),
    awaitPerson: async (ask) => ask(new AbortController().signal),
    secret: () => Promise.reject(new Error("there are no secrets here")),
    toolset: noTools,
    interaction: undefined,
    call: () => Promise.reject(new Error("there are no other tools here")),
  };
}

export class MemoryArtifacts implements ArtifactStore {
  readonly kept: Map<string, NewArtifact> = new Map();

  put(artifact: NewArtifact): Promise<{ id: string; chars: number }> {
    const id = `a${this.kept.size + 1}`;
    this.kept.set(id, artifact);
    return Promise.resolve({ id, chars: artifact.data.length });
  }

  readText(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  readBytes(scope: string, id: string): Promise<Uint8Array | undefined> {
    const artifact = this.kept.get(id);
    return Promise.resolve(artifact?.scope === scope ? Buffer.from(artifact.data) : undefined);
  }
}

export class MemoryChanges implements ChangeLog {
  readonly recorded: FileChange[] = [];
  readonly undone: Set<string> = new Set();

  record(change: FileChange): Promise<void> {
    this.recorded.push(change);
    return Promise.resolve();
  }

  ofCall(scope: string, callId: string): Promise<readonly FileChange[]> {
    const changes = this.recorded.filter(
      (change) =>
        change.scope === scope &&
        (change.callId === callId || change.outerCallId === callId) &&
        !this.undone.has(change.callId),
    );
    return Promise.resolve(this.undone.has(callId) ? [] : changes);
  }

  markUndone(_scope: string, callId: string): Promise<void> {
    this.undone.add(callId);
    return Promise.resolve();
  }

  forget(scope: string, callId: string): Promise<void> {
    const kept = this.recorded.filter((change) => change.scope !== scope || change.callId !== callId);
    this.recorded.splice(0, this.recorded.length, ...kept);
    return Promise.resolve();
  }
}
