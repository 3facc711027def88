import { openStore, type Store } from "../../src/app/store/index.ts";
import {
  type Approval,
  type CallContext,
  defaultRules,
  type ExecutorOptions,
  type Tool,
  type ToolExecutor,
  type ToolResult,
} from "../../src/kernel/index.ts";
import {
  findMemoryScope,
  type MemoryEntry,
  type MemoryStore,
  type NewMemoryEntry,
} from "../../src/modules/memory/index.ts";
import { createTestExecutor } from "./test-executor.ts";

/** Memory in a database of its own, tools over it behind the default policy, and a person who answers as told. */
export interface MemoryWorld extends AsyncDisposable {
  readonly memory: MemoryStore;
  readonly executor: ToolExecutor;
  /** The questions so far. */
  readonly asked: Approval[];
  /** What the person says from now on, after whatever happens before the answer. */
  answer(yes: boolean, before?: () => unknown): void;
  call(tool: string, params: unknown, context?: CallContext): Promise<ToolResult>;
  /** Puts entries straight into memory, as their owner could. */
  put(context: CallContext, ...entries: readonly Partial<NewMemoryEntry>[]): Promise<readonly MemoryEntry[]>;
  /** All that a caller has, deleted entries too, in the order in which it came. */
  all(context: CallContext): Promise<readonly MemoryEntry[]>;
}

export async function openMemoryWorld(
  makeTools: (memory: MemoryStore, store: Store) => readonly Tool[],
  options: ExecutorOptions = {},
): Promise<MemoryWorld> {
  const store = await openStore({ path: ":memory:" });
  const { memory } = store;
  const asked: Approval[] = [];
  let respond: () => unknown = () => true;
  const approver = {
    identity: "owner:ada",
    ask: async (approval: Approval) => {
      asked.push(approval);
      return { approved: (await respond()) === true, by: "owner:ada" };
    },
  };
  const { executor } = createTestExecutor(makeTools(memory, store), {
    rules: defaultRules,
    approver,
    ...options,
  });
  return {
    memory,
    executor,
    asked,
    answer(yes, before) {
      respond = async () => {
        await before?.();
        return yes;
      };
    },
    call: (tool, params, context = {}) => executor.execute(tool, params, context),
    put: (context, ...entries) =>
      memory.edit(
        findMemoryScope(context),
        entries.map((entry) => ({ do: "create_block", entry: { kind: "block", text: "one", ...entry } })),
        { by: "owner:ada" },
      ),
    all: async (context) => {
      const { entries } = await memory.list(findMemoryScope(context), {
        with: ["deleted", "superseded", "invalid"],
        owned: "own",
        limit: 1000,
      });
      return entries.toSorted(
        (one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
      );
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** What a call came to: its data, or its code. */
export function getOutcome(result: ToolResult): unknown {
  return result.success ? result.result : result.code;
}
