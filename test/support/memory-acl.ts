import { afterAll, beforeAll, describe, expect, test } from "vitest";
import catalogue from "../../src/app/catalogue.json" with { type: "json" };
import type { CallContext } from "../../src/kernel/index.ts";
import {
  type MemoryEntry,
  type MemoryPermission,
  memoryPermissions,
  type NewMemoryEntry,
} from "../../src/modules/memory/index.ts";
import type { MemoryWorld } from "./memory-world.ts";

/** Done; done once a person agreed, and only then; or refused without a question. */
type Outcome = "done" | "asked" | "denied";
type Operation = "read" | "append" | "overwrite" | "delete";

/** What each permission lets each operation do, written a second time. */
const table: Readonly<Record<MemoryPermission, Readonly<Record<Operation, Outcome>>>> = {
  read_only: { read: "done", append: "denied", overwrite: "denied", delete: "denied" },
  partner: { read: "done", append: "asked", overwrite: "asked", delete: "denied" },
  human: { read: "done", append: "asked", overwrite: "asked", delete: "denied" },
  append: { read: "done", append: "done", overwrite: "denied", delete: "denied" },
  read_write: { read: "done", append: "done", overwrite: "done", delete: "denied" },
  admin: { read: "done", append: "done", overwrite: "done", delete: "done" },
};

/** One operation of one tool, tried on an entry of each permission. */
export interface AclRow<World extends MemoryWorld = MemoryWorld> {
  readonly name: string;
  readonly tool: string;
  /** `entry` is the one that is tried; its label is `it` unless the row says otherwise. */
  readonly params: (entry: MemoryEntry) => object;
  /** Which column of the table it goes by. */
  readonly operation: Operation;
  /** What comes of it with every permission, whatever the table says. */
  readonly always?: Outcome;
  /** The tool takes what it may change without a question and leaves the rest: it is done with every permission. */
  readonly chooses?: true;
  /** Of the entry, beside its permission. Its text is `one`. */
  readonly entry?: Partial<NewMemoryEntry>;
  /** What is there besides. */
  readonly others?: readonly Partial<NewMemoryEntry>[];
  /** What happened before. */
  readonly before?: (world: World, entry: MemoryEntry, context: CallContext) => unknown;
  readonly context?: CallContext;
  /** What is there afterwards is as it was before, also where it is done. @default whether it only reads */
  readonly looks?: boolean;
}

/**
 * Tries every row with every permission, through the executor with the default policy and somebody to ask; and looks
 * whether there is a row for every operation of every tool that is shipped of the family.
 */
export function testAcl<World extends MemoryWorld>(
  family: keyof typeof catalogue,
  open: () => Promise<World>,
  rows: readonly AclRow<World>[],
): void {
  describe("what a permission lets each operation of each tool do", () => {
    let world: World;
    let agents = 0;
    beforeAll(async () => {
      world = await open();
    });
    afterAll(() => world[Symbol.asyncDispose]());

    test("every operation of every tool is tried", () => {
      const tried = new Set(rows.map(({ tool, params }) => getName(tool, params(noEntry))));
      expect(listOperations(family).filter((operation) => !tried.has(operation))).toEqual([]);
    });

    const cells = rows.flatMap((row) => memoryPermissions.map((permission) => ({ row, permission })));

    test.for(cells)("$row.name with $permission", async ({ row, permission }) => {
      const { operation, always, chooses = false, looks = operation === "read" } = row;
      const inTable = always ?? table[permission][operation];
      const expected = chooses ? "done" : inTable;
      const changes = !looks && inTable === "done";
      for (const yes of expected === "asked" ? [false, true] : [false]) {
        const { result, changed, questions } = await tryIt(row, permission, yes);
        if (expected === "denied") expect(result).toMatchObject({ code: "MEMORY_DENIED" });
        else if (expected === "asked" && !yes) expect(result).toMatchObject({ code: "TOOL_PERMISSION" });
        else expect(result).toMatchObject({ success: true });
        expect(questions).toBe(expected === "asked" ? 1 : 0);
        expect(changed).toBe(changes || (yes && !looks));
      }
    });

    async function tryIt(row: AclRow<World>, permission: MemoryPermission, yes: boolean) {
      const context = { ...row.context, agentId: `agent-${agents++}` };
      const given = [{ label: "it", permission, ...row.entry }, ...(row.others ?? [])];
      const [entry] = (await world.put(context, ...given)) as [MemoryEntry];
      await row.before?.(world, entry, context);
      const before = await world.all(context);
      const askedBefore = world.asked.length;
      world.answer(yes);
      const result = await world.call(row.tool, row.params(entry), context);
      const after = await world.all(context);
      const changed = JSON.stringify(after) !== JSON.stringify(before);
      return { result, changed, questions: world.asked.length - askedBefore };
    }
  });
}

const noEntry = { id: "" } as MemoryEntry;
const naming = ["operation", "action"] as const;

/** What the tools of a family offer, each as `getName` has it. */
function listOperations(family: keyof typeof catalogue): string[] {
  return catalogue[family].flatMap(({ name, parameters }) => {
    const properties = parameters.properties as Record<string, { readonly enum?: readonly string[] }>;
    const by = naming.find((one) => properties[one] !== undefined);
    return by === undefined
      ? [name]
      : (properties[by]?.enum ?? []).map((value) => getName(name, { [by]: value }));
  });
}

/** `tool`, or `tool operation` of one that does several things. */
function getName(tool: string, params: object): string {
  const given = params as Partial<Record<(typeof naming)[number], string>>;
  const operation = given.operation ?? given.action;
  return operation === undefined ? tool : `${tool} ${operation}`;
}
