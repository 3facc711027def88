import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { builtInRules } from "../src/app/policy/rules-in-force.ts";
import { openStore } from "../src/app/store/index.ts";
import {
  createRedactor,
  defineTool,
  type Effect,
  type ExecutorOptions,
  ToolExecutor,
  ToolRegistry,
} from "../src/kernel/index.ts";
import { analyseCommand } from "../src/modules/shell/command/index.ts";
import { type Figures, runBench, type Subject, timeCalls } from "./harness.ts";

// What each layer of protection costs a call, beside the same call without it. That of the sandbox is in sandbox.ts.

const perCall = "µs per call";
const reading: Effect = { kind: "read", target: "/project/src/main.ts", within: true };
const posting: Effect = { kind: "connect", target: "https://example.com", within: false };
const text = "The quick brown fox jumps over the lazy dog. ".repeat(22);

function gate(effects: readonly Effect[], options: ExecutorOptions): ToolExecutor {
  const registry = new ToolRegistry();
  registry.register(
    defineTool({
      name: "look",
      description: "Look.",
      parameters: z.strictObject({ path: z.string() }),
      annotations: { readOnly: true, openWorld: false },
      effects: () => effects,
      execute: () => text,
    }),
  );
  return new ToolExecutor(registry, options);
}

async function time(executor: ToolExecutor, scope = "local"): Promise<Figures> {
  const context = { scope };
  const params = { path: "src/main.ts" };
  return {
    [perCall]: await timeCalls(async () => {
      const result = await executor.execute("look", params, context);
      if (!result.success) throw new Error(result.text);
    }),
  };
}

function layer(name: string, options: () => ExecutorOptions): Subject {
  return { name, measure: () => time(gate([reading], options())) };
}

/** A store of its own, and what is measured over it. */
async function withStore(
  measure: (store: Awaited<ReturnType<typeof openStore>>) => Promise<Figures>,
): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "haft-bench-"));
  const store = await openStore({ path: join(folder, "haft.db") });
  try {
    return await measure(store);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A page of 100 kB that nobody trusts, heard before. */
function page(): string {
  const words = Array.from({ length: 14_000 }, (_, at) => `word${(at * 7919) % 10_007}`);
  return `https://example.com/page ${words.join(" ")}`.slice(0, 100_000);
}

const secrets = new Map(Array.from({ length: 20 }, (_, at) => [`NAME_${at}`, `s3cret-value-number-${at}-x`]));
const line = "cd web && npm run build 2>&1 | tail -20; sudo systemctl restart web";

const base = "the gate with one rule that allows";
const layers = [
  "all rules of an installation: secrets, code files",
  "default rules, 20 secrets to take out",
  "default rules, after 100 kB from outside",
  "default rules, with the ledger",
];

await runBench(import.meta.url, [
  {
    title: "One call that reads a file, 1 kB of result",
    rows: layers.map((ours) => ({
      what: `a layer more: ${ours.replace(/^default rules, /, "")}`,
      figure: perCall,
      ours,
      floor: base,
      isKernelOnly: true,
      paths: ["src/kernel", "src/app/policy"],
    })),
    subjects: [
      layer(base, () => ({ rules: [{ decision: "allow" }] })),
      layer("default rules", () => ({})),
      layer("all rules of an installation: secrets, code files", () => ({ rules: builtInRules([]) })),
      layer("default rules, 20 secrets to take out", () => ({ redact: createRedactor(secrets) })),
      {
        name: "default rules, after 100 kB from outside",
        async measure() {
          const executor = gate([reading], {});
          executor.recordInput(page(), { scope: "local", trust: "untrusted" });
          return time(executor);
        },
      },
      {
        name: "a question that a grant answers",
        measure: () =>
          withStore(async ({ grants }) => {
            const identity = "owner:bench";
            const remember = { offer: "exact", term: "always" } as const;
            const ask = async () => ({ approved: true, by: identity, remember }) as const;
            const executor = gate([posting], { grants, approver: { identity, ask } });
            await executor.execute("look", { path: "src/main.ts" });
            return time(executor);
          }),
      },
      {
        name: "default rules, with the ledger",
        measure: () => withStore(({ ledger }) => time(gate([reading], { ledger }))),
      },
    ],
  },
  {
    title: "A command line of five parts, read",
    subjects: [
      { name: "analyseCommand", measure: async () => ({ µs: await timeCalls(() => analyseCommand(line)) }) },
    ],
  },
]);
