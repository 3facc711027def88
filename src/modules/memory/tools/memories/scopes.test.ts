import fc from "fast-check";
import { expect, test } from "vitest";
import { createTestExecutor } from "../../../../../test/support/test-executor.ts";
import { openStore } from "../../../../app/store/index.ts";
import type { CallContext } from "../../../../kernel/index.ts";
import { findMemoryScope } from "../../store/memory-caller.ts";
import { memoriesTools } from "./index.ts";

const callers: readonly CallContext[] = [{ scope: "a" }, { scope: "a", agentId: "x" }, { scope: "b" }];
const people = ["Ada", "Ben", "Cleo"];

interface Told {
  readonly caller: number;
  readonly id: string;
  readonly from: string;
  readonly to: string;
  state: "kept" | "forgotten" | "corrected";
}

const who = fc.nat(callers.length - 1);
const which = fc.nat(7);
const person = fc.constantFrom(...people);
const commands = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("tell" as const), who, from: person, to: person }) },
    fc.record({ do: fc.constantFrom("forget" as const, "restore" as const), who, which }),
    fc.record({ do: fc.constant("correct" as const), who, which, from: person, to: person }),
  ),
  { maxLength: 14 },
);

/** What each caller can read, in words that say whose it is. */
test("no caller ever sees, changes or forgets what another remembers, whatever they do by turns", async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      await using store = await openStore({ path: ":memory:" });
      const { executor } = createTestExecutor(memoriesTools(store));
      const told: Told[] = [];
      const call = async (caller: number, name: string, params: unknown) => {
        const result = await executor.execute(name, params, callers[caller] ?? {});
        return result.success ? { data: result.result as Data } : { code: result.code };
      };
      const tell = async (caller: number, from: string, to: string, supersedes?: string) =>
        call(caller, "memory_store", {
          content: `Caller${caller} number${told.length} says ${from} knows ${to}`,
          relations: [{ source: from, relation: `knows ${caller}`, target: to }],
          ...(supersedes !== undefined && { supersedes }),
        });
      for (const step of steps) {
        if (step.do === "tell") {
          const { data } = await tell(step.who, step.from, step.to);
          told.push({ caller: step.who, id: data?.id ?? "", from: step.from, to: step.to, state: "kept" });
          continue;
        }
        const meant = told[step.which % Math.max(told.length, 1)];
        if (meant === undefined) continue;
        const own = meant.caller === step.who;
        if (step.do === "correct") {
          if (own && meant.state !== "kept") continue;
          const { data, code } = await tell(step.who, step.from, step.to, meant.id);
          expect(code).toBe(own ? undefined : "MEMORY_NOT_FOUND");
          if (data === undefined) continue;
          meant.state = "corrected";
          told.push({ caller: step.who, id: data.id ?? "", from: step.from, to: step.to, state: "kept" });
          continue;
        }
        const from = step.do === "forget" ? "kept" : "forgotten";
        if (own && meant.state !== from) continue;
        const params = { id: meant.id, ...(step.do === "restore" && { restore: true }) };
        const { code } = await call(step.who, "memory_forget", params);
        expect(code).toBe(own ? undefined : "MEMORY_NOT_FOUND");
        if (own) meant.state = step.do === "forget" ? "forgotten" : "kept";
      }
      for (const [caller, context] of callers.entries()) {
        const kept = told.filter((one) => one.caller === caller && one.state === "kept");
        const wanted = { query: "who knows whom, by number", limit: 50, all: true };
        const seen = await call(caller, "memory_recall", wanted);
        expect(seen.data?.memories?.map(({ id }) => id).sort()).toEqual(kept.map(({ id }) => id).sort());
        const edges = new Set<string>();
        for (const name of people) {
          const { data } = await call(caller, "memory_graph", { action: "explore", query: name, depth: 3 });
          for (const { source, relation, target, weight } of data?.edges ?? [])
            edges.add(`${source} ${relation} ${target} ${weight}`);
        }
        expect([...edges].sort()).toEqual(listEdges(kept, caller));
        const others = told.filter((one) => one.caller !== caller).map(({ id }) => id);
        expect(await store.graph.entities(findMemoryScope(context), others)).toEqual([]);
      }
    }),
    { numRuns: 15 },
  );
});

interface Data {
  readonly id?: string;
  readonly memories?: readonly { readonly id: string }[];
  readonly edges?: readonly {
    readonly source: string;
    readonly relation: string;
    readonly target: string;
    readonly weight: number;
  }[];
}

function listEdges(kept: readonly Told[], caller: number): string[] {
  const weights = new Map<string, number>();
  for (const { from, to } of kept) {
    const edge = `${from} knows ${caller} ${to}`;
    weights.set(edge, (weights.get(edge) ?? 0) + 1);
  }
  return [...weights].map(([edge, weight]) => `${edge} ${weight}`).sort();
}
