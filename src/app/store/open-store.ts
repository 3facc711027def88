import { type Clock, systemClock } from "../../base/index.ts";
import type { Database } from "../../db/index.ts";
import { type Durability, inMemory, openSqlite, randomId, StoreError, toStoreError } from "../../db/index.ts";
import type { Redact } from "../../kernel/index.ts";
import type { ApprovalStore } from "../../modules/approvals/index.ts";
import { SqlApprovals } from "../../modules/approvals/index.ts";
import type { Artifacts } from "../../modules/artifacts/index.ts";
import { ArtifactFiles, SqlArtifacts } from "../../modules/artifacts/index.ts";
import type { Definitions } from "../../modules/definitions/index.ts";
import { SqlDefinitions } from "../../modules/definitions/index.ts";
import { SqlSearchIndex, SqlToolUsage, SqlVectors } from "../../modules/finding/index.ts";
import type { GrantStore } from "../../modules/grants/index.ts";
import { SqlGrants } from "../../modules/grants/index.ts";
import type { HookRunLog } from "../../modules/hook-runs/index.ts";
import { SqlHookRuns } from "../../modules/hook-runs/index.ts";
import type { Jobs } from "../../modules/jobs/index.ts";
import { SqlJobs } from "../../modules/jobs/index.ts";
import type { LedgerStore, OnCancel } from "../../modules/ledger/index.ts";
import { recoverCalls, SqlLedger, type UnknownCall } from "../../modules/ledger/index.ts";
import type { MemoryGraph, MemoryStore } from "../../modules/memory/index.ts";
import { SqlGraph, SqlMemory } from "../../modules/memory/index.ts";
import type { SecretKeys, Secrets } from "../../modules/secrets/index.ts";
import { SqlSecrets } from "../../modules/secrets/index.ts";
import type { Runs, Sessions } from "../../modules/sessions/index.ts";
import {
  createLeaseCheck,
  RunAftermath,
  RunQuestions,
  RunWaking,
  SqlRuns,
  SqlSessions,
} from "../../modules/sessions/index.ts";
import type { TaskRuns, Tasks } from "../../modules/tasks/index.ts";
import { RunStopper, SqlTaskRuns, SqlTasks, TaskFollower } from "../../modules/tasks/index.ts";
import type { Todos } from "../../modules/todos/index.ts";
import { SqlTodos } from "../../modules/todos/index.ts";
import type { ChangeHistory } from "../../modules/undo/index.ts";
import { SqlChangeLog } from "../../modules/undo/index.ts";
import type { Usage } from "../../modules/usage/index.ts";
import { SqlUsage } from "../../modules/usage/index.ts";
import type { Embedder, IndexStore, UsageMemory, VectorCache } from "../../search/index.ts";
import { storeSchema } from "./store-schema.ts";

/** The path of a store, how durable it is, and how much it keeps. Only `path` has to be said. */
export interface StoreOptions {
  /**
   * The path of the database file, or `:memory:` for one that ends with the store. Folders are made as
   * needed.
   */
  readonly path: string;
  /** What a resolved write survives: `normal` a kill -9, `full` the loss of power too, at some milliseconds a write. @default "normal" */
  readonly durability?: Durability;
  /**
   * Takes secrets out of the arguments that grants and questions keep for people to read, and out of the messages that
   * tools are found by, and out of what is remembered. Absent: grants keep none, and the others what they are given.
   */
  readonly redact?: Redact;
  /** How long nothing has to use a grant for it to end. @default 2,592,000,000 (30 days) */
  readonly grantDecayMs?: number;
  /** The keys of the secrets. Absent: secrets can't be stored or read. */
  readonly secretKeys?: SecretKeys;
  /** Bytes of one artifact. @default 536,870,912 */
  readonly maxArtifactBytes?: number;
  /** Bytes of all artifacts; past this the oldest go, those an undo needs last. @default 2,147,483,648 */
  readonly maxTotalArtifactBytes?: number;
  /** Bytes of all vectors; past this those go that were used longest ago. @default 134,217,728 */
  readonly maxVectorBytes?: number;
  /** Messages that are kept for one tool of a scope; past this the oldest go. @default 20 */
  readonly maxUsesPerTool?: number;
  /** What remembered texts are compared by, called when that is needed first. Absent: they are found by their words. */
  readonly embedder?: () => Promise<Embedder | undefined>;
  /** Told of what goes wrong while vectors of remembered texts are made in the background. */
  readonly onMemoryFault?: (error: unknown) => void;
  /** Told at the opening which calls of vanished processes became unknown: a hundred at most, often none. */
  readonly onRecovered?: (calls: readonly UnknownCall[]) => void;
  /** Told that another process asked for a call of this one to be cancelled. Absent: such requests are not looked for. */
  readonly onCancel?: OnCancel;
  /** How long to wait for another process before failing with STORE_BUSY. @default 10,000 */
  readonly busyTimeoutMs?: number;
  readonly clock?: Clock;
}

/** Everything haft keeps, in one file. Several processes may have it open at once. */
export interface Store extends AsyncDisposable {
  readonly path: string;
  readonly ledger: LedgerStore;
  readonly artifacts: Artifacts;
  readonly grants: GrantStore;
  /** Always fully durable, whatever the store was opened for. */
  readonly approvals: ApprovalStore;
  readonly changes: ChangeHistory;
  readonly secrets: Secrets;
  readonly definitions: Definitions;
  readonly hookRuns: HookRunLog;
  readonly vectors: VectorCache;
  readonly toolUsage: UsageMemory;
  readonly searchIndex: IndexStore;
  readonly memory: MemoryStore & Pick<SqlMemory, "ready" | "progress" | "reindex">;
  readonly graph: MemoryGraph;
  readonly jobs: Jobs & Pick<SqlJobs, "enqueueIn">;
  readonly sessions: Sessions;
  readonly runs: Runs;
  readonly tasks: Tasks & Pick<SqlTasks, "createIn" | "applyIn" | "findByRunIn">;
  /** Tasks that runs of the agent work on. */
  readonly taskRuns: TaskRuns;
  /** Todos of the person that an agent works for, apart from the tasks of agents. */
  readonly todos: Todos;
  /** Requests to models. What calls tools is counted in `toolUsage`. */
  readonly usage: Usage;
  /**
   * Loads the query library, some 70 ms, that everything but the recording of calls needs at its first use. Call it
   * when there is time.
   */
  warm(): Promise<void>;
  /** What an integrity check finds; empty for a sound store. Reads the whole file. */
  check(): Promise<readonly string[]>;
  /** Writes what is under way, then closes; what is asked of the store later fails with STORE_CLOSED. */
  close(): Promise<void>;
}

/**
 * Opens the store, makes it if there is none, and brings an older one up to date. Calls that a vanished process left
 * unfinished become unknown; those of a process that lives stay as they are.
 *
 * @throws {StoreError} STORE_UNAVAILABLE, STORE_READ_ONLY, STORE_FOREIGN, STORE_NEWER, STORE_CORRUPT, STORE_FULL,
 * STORE_BUSY or STORE_IO. The file is then as it was.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: "haft.db" });
 * const entry = { kind: "memory", text: "Ada likes tea." };
 * await store.memory.edit("local", [{ do: "create_block", entry }], { by: "owner:ada" });
 * const { hits } = await store.memory.search("local", { query: "tea" });
 * hits[0]?.entry.text; // → "Ada likes tea."
 * ```
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { path, durability = "normal", clock = systemClock, busyTimeoutMs = 10_000 } = options;
  const db = await openSqlite({ path, schema: storeSchema, durability, clock, busyTimeoutMs });
  const runId = randomId("r", 16);
  try {
    const unknown = await recoverCalls(db, { clock, runId });
    options.onRecovered?.(unknown);
  } catch (thrown) {
    await db.close();
    throw toStoreError(thrown, "open", path);
  }
  const files =
    path === inMemory
      ? undefined
      : new ArtifactFiles(`${path}-artifacts`, { durable: durability === "full" });
  const ledger = new SqlLedger(db, {
    clock,
    runId,
    onCancel: options.onCancel,
    holdsLease: createLeaseCheck(db),
  });
  const artifacts = new SqlArtifacts(db, {
    clock,
    files,
    maxBytes: options.maxArtifactBytes ?? 536_870_912,
    maxTotalBytes: options.maxTotalArtifactBytes ?? 2_147_483_648,
  });
  const { redact, grantDecayMs: decayMs = 30 * 86_400_000 } = options;
  const grants = new SqlGrants(db, { clock, runId, decayMs, redact, begin: () => ledger.begin() });
  const jobs = new SqlJobs(db, { clock });
  const waking = new RunWaking({ jobs, clock });
  const tasks = new SqlTasks(db, {
    clock,
    redact,
    stopRuns: (tx, request) => stopper.stopIn(tx, request),
    wakeRun: (tx, run) => waking.wake(tx, run),
  });
  const usage = new SqlUsage(db, { clock, processId: runId, begin: () => ledger.begin() });
  const inTransaction = { clock, redact, jobs, tasks, usage };
  const follower = new TaskFollower(inTransaction);
  const aftermath = new RunAftermath({ jobs });
  const approvals = new SqlApprovals(db, { clock, redact, onAnswered: waking.onAnswered });
  const questions = new RunQuestions({ questions: approvals });
  const runs = new SqlRuns(db, {
    clock,
    redact,
    onWaiting: waking.onWaiting,
    onChanged: async (tx, run) => {
      await waking.onChanged(tx, run);
      await questions.onChanged(tx, run);
      await follower.onChanged(tx, run);
      await aftermath.onChanged(tx, run);
    },
    onClaimed: () => ledger.noteTakeover(),
  });
  const stopper = new RunStopper({ runs, questions });
  const changes = new SqlChangeLog(db, { clock });
  const secrets = new SqlSecrets(db, { clock, keys: options.secretKeys });
  const definitions = new SqlDefinitions(db, { clock });
  const hookRuns = new SqlHookRuns(db);
  return toStore(db, {
    ledger,
    artifacts,
    grants,
    approvals,
    changes,
    secrets,
    definitions,
    hookRuns,
    vectors: new SqlVectors(db, { clock, maxBytes: options.maxVectorBytes ?? 134_217_728 }),
    toolUsage: new SqlToolUsage(db, { redact, maxPerTool: options.maxUsesPerTool ?? 20 }),
    searchIndex: new SqlSearchIndex(db, { clock }),
    memory: new SqlMemory(db, { clock, redact, embedder: options.embedder, onError: options.onMemoryFault }),
    graph: new SqlGraph(db, { clock, redact }),
    jobs,
    sessions: new SqlSessions(db, { clock, redact }),
    runs,
    tasks,
    taskRuns: new SqlTaskRuns(db, { ...inTransaction, stopper }),
    todos: new SqlTodos(db, { clock, redact }),
    usage,
  });
}

interface Parts extends Omit<Store, "path" | "warm" | "check" | "close" | typeof Symbol.asyncDispose> {
  readonly ledger: SqlLedger;
  readonly grants: SqlGrants;
  readonly approvals: SqlApprovals;
  readonly memory: SqlMemory;
}

function toStore(db: Database, parts: Parts): Store {
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeInOrder(parts, db);
    return closing;
  };
  return {
    path: db.path,
    ...parts,
    warm: async () => void (await db.queries()),
    check: () => db.check(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function closeInOrder({ ledger, grants, approvals, memory }: Parts, db: Database): Promise<void> {
  approvals.end(
    new StoreError(
      "STORE_CLOSED",
      `Cannot wait for an answer: the store "${db.path}" is closed; open it again`,
    ),
  );
  try {
    await memory.close();
    await grants.endSession();
  } finally {
    try {
      await ledger.close();
    } finally {
      await db.close();
    }
  }
}
