import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Tool, toJsonSchema } from "../../src/kernel/index.ts";
import {
  type MemoryEntry,
  type MemoryPermission,
  memoryPermissions,
  type MemoryStore,
  type NewMemoryEntry,
} from "../../src/store/index.ts";
import { type MemoryWorld, openMemoryWorld } from "./memory-world.ts";

/** Done; done once a person agreed, and only then; or refused without a question. */
type Outcome = "done" | "asked" | "denied";
type Operation = "read" | "append" | "overwrite" | "delete";

/** Seed 004's table, as it is written there. */
const table: Readonly<Record<MemoryPermission, Readonly<Record<Operation, Outcome>>>> = {
  read_only: { read: "done", append: "denied", overwrite: "denied", delete: "denied" },
  partner: { read: "done", append: "asked", overwrite: "asked", delete: "denied" },
  human: { read: "done", append: "asked", overwrite: "asked", delete: "denied" },
  append: { read: "done", append: "done", overwrite: "denied", delete: "denied" },
  read_write: { read: "done", append: "done", overwrite: "done", delete: "denied" },
  admin: { read: "done", append: "done", overwrite: "done", delete: "done" },
};

/** One operation of one tool, tried on an entry of each permission. */
export interface AclRow {
  readonly name: string;
  readonly tool: string;
  /** `entry` is the one that is tried; its label is `it` unless the row says otherwise. */
  readonly params: (entry: MemoryEntry) => object;
  /** Which column of the table it goes by. */
  readonly operation: Operation;
  /** Of the entry, beside its permission. Its text is `one`. */
  readonly entry?: Partial<NewMemoryEntry>;
  /** What is there besides. */
  readonly others?: readonly Partial<NewMemoryEntry>[];
  /** What is there afterwards is as it was before, also where it is done. @default whether it only reads */
  readonly looks?: boolean;
  /** The default policy asks about what deletes, also where the entry allows it. */
  readonly asksAnyway?: true;
}

/** Tries every row with every permission, through the executor with the default policy and somebody to ask. */
export function testAcl(toolsOf: (memory: MemoryStore) => readonly Tool[], rows: readonly AclRow[]): void {
  describe("what a permission lets each operation of each tool do", () => {
    let world: MemoryWorld;
    let agents = 0;
    beforeAll(async () => {
      world = await openMemoryWorld(toolsOf);
    });
    afterAll(() => world[Symbol.asyncDispose]());

    const cells = rows.flatMap((row) => memoryPermissions.map((permission) => ({ row, permission })));

    test.for(cells)("$row.name with $permission", async ({ row, permission }) => {
      const expected = table[permission][row.operation];
      const asks = expected === "asked" || (expected === "done" && row.asksAnyway === true);
      for (const yes of asks ? [false, true] : [false]) {
        const { result, changed, questions } = await tryIt(row, permission, yes);
        if (expected === "denied") expect(result).toMatchObject({ code: "MEMORY_DENIED" });
        else if (asks && !yes) expect(result).toMatchObject({ code: "TOOL_PERMISSION" });
        else expect(result).toMatchObject({ success: true });
        expect(questions).toBe(asks ? 1 : 0);
        const { looks = row.operation === "read" } = row;
        expect(changed).toBe(result.success && !looks);
      }
    });

    async function tryIt(row: AclRow, permission: MemoryPermission, yes: boolean) {
      const agentId = `agent-${agents++}`;
      const given = [{ label: "it", permission, ...row.entry }, ...(row.others ?? [])];
      const [entry] = await world.put({ agentId }, ...given);
      const before = await world.all({ agentId });
      const askedBefore = world.asked.length;
      world.answer(yes);
      const result = await world.call(row.tool, row.params(entry as MemoryEntry), { agentId });
      const after = await world.all({ agentId });
      const changed = JSON.stringify(after) !== JSON.stringify(before);
      return { result, changed, questions: world.asked.length - askedBefore };
    }
  });
}

/** The operations that the tools offer, as `tool operation`; of a tool without any, its name. */
export function operationsOf(tools: readonly Tool[]): string[] {
  return tools.flatMap(({ name, parameters }) => {
    const { operation } = (toJsonSchema(parameters)["properties"] ?? {}) as {
      operation?: { enum: string[] };
    };
    return operation?.enum.map((one) => `${name} ${one}`) ?? [name];
  });
}
