import fc from "fast-check";
import { expect } from "vitest";
import {
  type MemoryEdit,
  type MemoryEntry,
  type MemoryPermission,
  type MemoryStore,
  memoryPermissions,
  stricterPermission,
} from "../../src/modules/memory/index.ts";

const scopes = ["local", "local/ada", "s2"];
const author = { by: "agent:ada" };

interface State {
  readonly text: string;
  readonly label: string | undefined;
  readonly pinned: boolean;
  readonly deleted: boolean;
}

/** What an entry must be, kept in the plainest way: all states that can be gone back to, and where it stands. */
interface Kept {
  readonly id: string;
  readonly owner: string;
  states: State[];
  at: number;
  versions: number;
  revision: number;
  readonly shares: Map<string, MemoryPermission>;
}

class Model {
  readonly kept = new Map<string, Kept>();

  now(entry: Kept): State {
    return entry.states[entry.at] as State;
  }

  sees(scope: string, entry: Kept): boolean {
    return entry.owner === scope || (entry.shares.has(scope) && !this.now(entry).deleted);
  }

  isTaken(scope: string, label: string | undefined): boolean {
    return (
      label !== undefined &&
      [...this.kept.values()].some(
        (each) => each.owner === scope && !this.now(each).deleted && this.now(each).label === label,
      )
    );
  }

  /** Makes the change, or says the code by which it must fail. */
  change(scope: string, edit: Exclude<MemoryEdit, { do: "create_block" }>): string | undefined {
    const entry = this.kept.get(edit.id);
    if (entry === undefined || !this.sees(scope, entry)) return "MEMORY_NOT_FOUND";
    const state = this.now(entry);
    const isText = edit.do === "update_block_text" || edit.do === "append_to_block";
    if (!isText && entry.owner !== scope) return "MEMORY_NOT_OWNER";
    const goesOn = ["undo_block", "redo_block", "restore_block", "erase_block"].includes(edit.do);
    if (state.deleted && !goesOn) return "MEMORY_NOT_FOUND";
    switch (edit.do) {
      case "update_block_text":
        return this.#become(entry, { ...state, text: edit.text });
      case "append_to_block":
        return this.#become(entry, { ...state, text: `${state.text}\n${edit.text}` });
      case "set_block_facts": {
        const { label, pinned } = edit.facts;
        const next = {
          ...state,
          ...(label !== undefined && { label: label ?? undefined }),
          ...(typeof pinned === "boolean" && { pinned }),
        };
        if (next.label !== state.label && this.isTaken(scope, next.label)) return "MEMORY_LABEL_TAKEN";
        return this.#become(entry, next);
      }
      case "delete_block":
        return this.#become(entry, { ...state, deleted: true });
      case "restore_block":
        if (state.deleted && this.isTaken(scope, state.label)) return "MEMORY_LABEL_TAKEN";
        return this.#become(entry, { ...state, deleted: false });
      case "undo_block":
      case "redo_block": {
        const at = entry.at + (edit.do === "undo_block" ? -1 : 1);
        const next = entry.states[at];
        if (next === undefined) return "MEMORY_NOTHING_TO_UNDO";
        const comesBack = !next.deleted && (state.deleted || next.label !== state.label);
        if (comesBack && this.isTaken(scope, next.label)) return "MEMORY_LABEL_TAKEN";
        entry.at = at;
        entry.revision++;
        return undefined;
      }
      case "share_block":
        if (edit.with === scope) return "MEMORY_INVALID";
        if (entry.shares.get(edit.with) !== edit.permission) entry.revision++;
        entry.shares.set(edit.with, edit.permission);
        return undefined;
      case "unshare_block":
        if (entry.shares.delete(edit.with)) entry.revision++;
        return undefined;
      case "erase_block":
        this.kept.delete(edit.id);
        return undefined;
      default:
        return edit satisfies never;
    }
  }

  #become(entry: Kept, next: State): undefined {
    const state = this.now(entry);
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    entry.states = [...entry.states.slice(0, entry.at + 1), next];
    entry.at++;
    entry.versions++;
    entry.revision++;
  }
}

const label = fc.constantFrom("a", "b", "c");
const permission = fc.constantFrom(...memoryPermissions);
const change = fc.oneof(
  fc.record({ do: fc.constant("update_block_text" as const) }),
  fc.record({ do: fc.constant("append_to_block" as const) }),
  fc.record({
    do: fc.constant("set_block_facts" as const),
    facts: fc.record({ label: fc.option(label), pinned: fc.boolean() }, { requiredKeys: [] }),
  }),
  fc.record({ do: fc.constantFrom("delete_block" as const, "restore_block" as const) }),
  fc.record({ do: fc.constantFrom("undo_block" as const, "redo_block" as const) }),
  fc.record({ do: fc.constant("share_block" as const), with: fc.constantFrom(...scopes), permission }),
  fc.record({ do: fc.constant("unshare_block" as const), with: fc.constantFrom(...scopes) }),
  fc.record({ do: fc.constant("erase_block" as const) }),
);
const step = fc.oneof(
  { weight: 1, arbitrary: fc.record({ scope: fc.constantFrom(...scopes), create: fc.option(label) }) },
  {
    weight: 4,
    arbitrary: fc.record({ scope: fc.constantFrom(...scopes), entry: fc.nat(), change }),
  },
);

/** A store of memory is what a plain model of it is, for every scope, after whatever changes. */
export async function expectModelled(
  open: () => Promise<{ readonly memory: MemoryStore } & AsyncDisposable>,
  numRuns: number,
): Promise<void> {
  let words = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      await using opened = await open();
      const { memory } = opened;
      const model = new Model();
      const ids: string[] = [];
      for (const each of steps) {
        const text = `word${words++}`;
        if ("create" in each) await create(memory, model, ids, { ...each, text });
        else if (ids.length > 0) {
          const id = ids[each.entry % ids.length] as string;
          const edit = { ...each.change, id, text } as Exclude<MemoryEdit, { do: "create_block" }>;
          const failed = model.change(each.scope, edit);
          const done = await memory.edit(each.scope, [edit], author).then(
            () => undefined,
            ({ code }: { code: string }) => code,
          );
          expect([edit.do, done]).toEqual([edit.do, failed]);
        }
      }
      for (const scope of scopes) await expectSame(memory, model, ids, scope);
    }),
    { numRuns, seed: Number(process.env["HAFT_SEED"] ?? 6) },
  );
}

async function create(
  memory: MemoryStore,
  model: Model,
  ids: string[],
  { scope, create: wanted, text }: { scope: string; create: string | null; text: string },
): Promise<void> {
  const labelled = wanted === null ? {} : { label: wanted };
  const edit: MemoryEdit = { do: "create_block", entry: { kind: "block", text, ...labelled } };
  if (model.isTaken(scope, wanted ?? undefined)) {
    await expect(memory.edit(scope, [edit], author)).rejects.toMatchObject({ code: "MEMORY_LABEL_TAKEN" });
    return;
  }
  const [made] = await memory.edit(scope, [edit], author);
  const id = made?.id ?? "";
  ids.push(id);
  const state = { text, label: wanted ?? undefined, pinned: false, deleted: false };
  model.kept.set(id, {
    id,
    owner: scope,
    states: [state],
    at: 0,
    versions: 1,
    revision: 1,
    shares: new Map(),
  });
}

async function expectSame(memory: MemoryStore, model: Model, ids: readonly string[], scope: string) {
  const seen = [...model.kept.values()].filter((entry) => model.sees(scope, entry));
  const { entries } = await memory.list(scope, { with: ["deleted"], limit: 1000 });
  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
  expect(entries.map(summary).sort(byId)).toEqual(
    seen
      .map((entry) => {
        const { text, label: named, pinned, deleted } = model.now(entry);
        const shared = entry.owner === scope ? undefined : entry.shares.get(scope);
        return {
          id: entry.id,
          scope: entry.owner,
          text,
          label: named,
          pinned,
          deleted,
          permission: shared === undefined ? "read_write" : stricterPermission("read_write", shared),
          revision: entry.revision,
          undoDepth: entry.at,
          redoDepth: entry.states.length - 1 - entry.at,
        };
      })
      .sort(byId),
  );
  for (const id of ids) {
    const entry = model.kept.get(id);
    const isSeen = entry !== undefined && model.sees(scope, entry);
    const isOwn = isSeen && entry.owner === scope;
    expect((await memory.get(scope, id))?.id).toBe(isSeen ? id : undefined);
    expect((await memory.history(scope, id)).length).toBe(isOwn ? entry.versions : 0);
    const shares = (await memory.shares(scope, id)).map((share) => share.scope).sort();
    expect(shares).toEqual(isOwn ? [...entry.shares.keys()].sort() : isSeen ? [scope] : []);
  }
  for (const entry of model.kept.values()) {
    const { text, deleted } = model.now(entry);
    const query = text.split("\n").at(-1) as string;
    const { hits } = await memory.search(scope, { query, limit: 100 });
    const found = hits.map((hit) => hit.entry.id);
    expect(found.includes(entry.id)).toBe(model.sees(scope, entry) && !deleted);
    expect(found.filter((id) => !model.sees(scope, model.kept.get(id) as Kept))).toEqual([]);
  }
}

function summary(entry: MemoryEntry) {
  const { id, scope, text, label: named, pinned, permission: mayDo, revision, undoDepth, redoDepth } = entry;
  const deleted = entry.deletedAt !== undefined;
  return {
    id,
    scope,
    text,
    label: named,
    pinned,
    deleted,
    permission: mayDo,
    revision,
    undoDepth,
    redoDepth,
  };
}
