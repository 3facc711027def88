import type { ExpressionBuilder, Transaction } from "kysely";
import { type Clock, compileGlob } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import {
  type Approval,
  type ApprovalAnswer,
  type CallKey,
  type FoundAnswer,
  makeGrantOffer,
  type Redact,
} from "../../../kernel/index.ts";
import { noteEvents } from "../../events/index.ts";
import { digestOfAskedCall } from "../../ledger/index.ts";
import { AnswerWatch, type Settled } from "./answer-watch.ts";
import {
  answerColumns,
  digestOfShown,
  findApprovalState,
  listedColumns,
  maxListedEffectsChars,
  readAnswer,
  readApprovers,
  readOffers,
  readWithdrawal,
  type SettledColumns,
  toKept,
  toListed,
  toRow,
} from "./approval-row.ts";
import type {
  ApprovalQuery,
  ApprovalState,
  ApprovalStore,
  KeptApproval,
  ListedApproval,
  Watcher,
} from "./approval-store.ts";
import { ApprovalError } from "./errors.ts";
import type { ApprovalRow, Tables } from "./tables.ts";
import { WatcherRows } from "./watcher-rows.ts";
import { type AskedQuery, listAsked, withdrawQuestions } from "./withdraw.ts";

export interface SqlApprovalsOptions {
  readonly clock: Clock;
  /** Takes secrets out of what is kept for people to read. */
  readonly redact: Redact | undefined;
  /** Called in the transaction that stores an answer, to store what goes on with it. @default nothing is */
  readonly onAnswered?: (
    tx: Transaction<Tables>,
    question: Pick<ApprovalRow, "id" | "scope">,
  ) => Promise<void>;
}

const maxListed = 1000;
/** The most waiting questions of one scope. Nobody reads so many: something asks without end. */
const maxWaiting = 1000;
const keptMs = 30 * 86_400_000;
/** Ids in one query. */
const maxLookedFor = 500;
/** What is looked at again and again while somebody waits; the arguments of a call may be long. */
const settledColumns: readonly (keyof SettledColumns)[] = [
  "id",
  "state",
  "expires_at",
  "answered_by",
  "answer_reason",
  "remember",
];

/** Approvals over any {@link TypedDatabase}; each change of a row is as durable as can be. */
export class SqlApprovals implements ApprovalStore {
  readonly #db: TypedDatabase<Tables>;
  readonly #options: SqlApprovalsOptions;
  readonly #watch: AnswerWatch;
  readonly #watchers: WatcherRows;

  constructor(db: TypedDatabase<Tables>, options: SqlApprovalsOptions) {
    this.#db = db;
    this.#options = options;
    this.#watchers = new WatcherRows(db, options.clock);
    this.#watch = new AnswerWatch({ clock: options.clock, look: (ids) => this.#settled(ids) });
  }

  async open(approval: Approval, key: CallKey | undefined): Promise<Approval> {
    const row = toRow(approval, key, this.#options.redact);
    const kept = await this.#write(async (tx) => {
      await this.#sweep(tx);
      const waiting = await waitingFor(tx, row);
      if (waiting !== undefined) {
        await waitLonger(tx, waiting, row);
        await this.#note(tx, waiting.id);
        return waiting;
      }
      await this.#refuseIfFull(tx, approval);
      await tx.insertInto("approval").values(row).execute();
      await this.#note(tx, row.id);
      return row;
    });
    // This call says where it is asked, the row what it is.
    return {
      ...approval,
      id: kept.id,
      reason: kept.reason,
      offers: readOffers(kept),
      createdAt: kept.created_at,
      expiresAt: kept.expires_at,
      digest: digestOfShown(kept),
    };
  }

  async answer(id: string, answer: ApprovalAnswer): Promise<void> {
    const row = await this.#findRow(id);
    if (row === undefined) throw notFound(id);
    if (!isAmong(readApprovers(row), answer.by)) throw notYours(row, answer.by);
    if (answer.approved && answer.remember && makeGrantOffer(readOffers(row), answer.remember) === undefined)
      throw notOffered(row, answer.remember.offer);
    if (answer.approved && answer.shown !== undefined && answer.shown !== digestOfShown(row))
      throw changed(row);
    const now = this.#options.clock.now();
    const answered = await this.#write(async (tx) => {
      const changed = await tx
        .updateTable("approval")
        .set(answerColumns(answer, now))
        .where("id", "=", id)
        .where("state", "=", "pending")
        .where("expires_at", ">", now)
        .returning(["id", "scope"])
        .executeTakeFirst();
      if (changed === undefined) return undefined;
      await this.#note(tx, id);
      await this.#options.onAnswered?.(tx, changed);
      return changed;
    });
    if (answered === undefined) throw tooLate((await this.#findRow(id)) ?? row, now);
    this.#watch.lookNow();
  }

  answered(id: string, signal: AbortSignal): Promise<ApprovalAnswer> {
    return this.#watch.wait(id, signal);
  }

  async claim(id: string, callId: string): Promise<boolean> {
    const now = this.#options.clock.now();
    const claimed = await this.#write(async (tx) => {
      const used = await tx
        .updateTable("approval")
        .set({ state: "used", used_at: now, used_by: callId })
        .where("id", "=", id)
        .where("state", "=", "approved")
        .where("expires_at", ">", now)
        .where((row) => row.or([row("digest", "is not", null), row("call_id", "=", callId)]))
        .returning("id")
        .executeTakeFirst();
      if (used !== undefined) await this.#note(tx, id);
      return used;
    });
    return claimed !== undefined;
  }

  async find(key: CallKey, approvers: readonly string[]): Promise<FoundAnswer | undefined> {
    const digest = digestOfAskedCall(key);
    if (digest === undefined) return undefined;
    const db = await this.#db.queries();
    const rows = await db
      .selectFrom("approval")
      .select([...settledColumns, "offers"])
      .where("digest", "=", digest)
      .where("state", "=", "approved")
      .where("expires_at", ">", this.#options.clock.now())
      .orderBy("answered_at", "desc")
      .limit(maxListed)
      .execute();
    for (const row of rows) {
      const answer = readAnswer(row);
      if (answer !== undefined && isAmong(approvers, answer.by))
        return { id: row.id, answer, offers: readOffers(row) };
    }
    return undefined;
  }

  async leave({ id, callId, waitsUntil }: Approval): Promise<void> {
    if (waitsUntil === undefined) return;
    const now = this.#options.clock.now();
    await this.#write(async (tx) => {
      await tx
        .updateTable("approval")
        .set((row) => ({
          waits_until: now,
          expires_at: row.case().when("digest", "is", null).then(now).else(row.ref("expires_at")).end(),
        }))
        .where("id", "=", id)
        .where("state", "=", "pending")
        // Another call that joined it waits for as long or longer.
        .where("call_id", "=", callId)
        .where("waits_until", "=", waitsUntil)
        .execute();
      await this.#note(tx, id);
    });
  }

  /** Lists the questions of some calls that are open, or whose yes is not used, in a transaction of other rows. */
  askedIn(tx: Transaction<Tables>, query: AskedQuery): Promise<readonly string[]> {
    return listAsked(tx, query, this.#options.clock.now());
  }

  /**
   * Takes questions back, in a transaction of other rows: nobody can answer them any more, and no call can use a yes.
   *
   * @param why a clause such as `its task was stopped`
   */
  async withdrawIn(tx: Transaction<Tables>, ids: readonly string[], why: string): Promise<void> {
    await withdrawQuestions(tx, { ids, why }, this.#options.clock.now());
    await this.#note(tx, ...ids);
  }

  async list({ state, scope, toolName, callId }: ApprovalQuery = {}): Promise<readonly ListedApproval[]> {
    const { clock } = this.#options;
    const now = clock.now();
    const db = await this.#db.queries();
    let rows = db
      .selectFrom("approval")
      .select(listedColumns)
      .select((row) =>
        row
          .case()
          .when(row.fn<number>("length", ["effects"]), "<=", maxListedEffectsChars)
          .then(row.ref("effects"))
          .end()
          .as("effects"),
      );
    if (scope !== undefined) rows = rows.where("scope", "=", scope);
    if (toolName !== undefined) rows = rows.where("tool_name", "=", toolName);
    if (callId !== undefined) rows = rows.where("call_id", "=", callId);
    if (state !== undefined) rows = rows.where((row) => isIn(row, state, now));
    const found = await rows.orderBy("created_at", "desc").orderBy("id").limit(maxListed).execute();
    return found.map((row) => toListed(row, now));
  }

  async remove(callId: string): Promise<void> {
    await this.#db.write(async (tx) => {
      const removed = await tx.deleteFrom("approval").where("call_id", "=", callId).returning("id").execute();
      await this.#note(tx, ...removed.map(({ id }) => id));
    });
  }

  async get(id: string): Promise<KeptApproval | undefined> {
    const row = await this.#findRow(id);
    return row && toKept(row, this.#options.clock.now());
  }

  watch(watcher: Watcher): Promise<() => Promise<void>> {
    return this.#watchers.add(watcher);
  }

  async watched(approvers: readonly string[]): Promise<boolean> {
    return (await this.#watchers.identities()).some((identity) => isAmong(approvers, identity));
  }

  /** Whoever waits for an answer waits no longer. */
  end(fault: Error): void {
    this.#watch.end(fault);
  }

  #write<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return this.#db.write(work, { durability: "full" });
  }

  #note(tx: Transaction<Tables>, ...ids: readonly string[]): Promise<void> {
    return noteEvents(tx, "question", ids, this.#options.clock.now());
  }

  async #findRow(id: string): Promise<ApprovalRow | undefined> {
    const db = await this.#db.queries();
    return db.selectFrom("approval").selectAll().where("id", "=", id).executeTakeFirst();
  }

  /** Marks what nobody answered, so that it stands in nobody's way, and deletes what ended long ago. */
  async #sweep(tx: Transaction<Tables>): Promise<void> {
    const now = this.#options.clock.now();
    const expired = await tx
      .updateTable("approval")
      .set({ state: "expired" })
      .where("state", "=", "pending")
      .where("expires_at", "<=", now)
      .returning("id")
      .execute();
    await this.#note(tx, ...expired.map(({ id }) => id));
    await tx
      .deleteFrom("approval")
      .where("expires_at", "<", now - keptMs)
      .where((row) => row(row.fn.coalesce("used_at", "answered_at", "expires_at"), "<", now - keptMs))
      .execute();
  }

  async #refuseIfFull(tx: Transaction<Tables>, { scope, toolName }: Approval): Promise<void> {
    const { count } = await tx
      .selectFrom("approval")
      .select((row) => row.fn.countAll<number>().as("count"))
      .where("scope", "=", scope)
      .where("state", "=", "pending")
      .executeTakeFirstOrThrow();
    if (count < maxWaiting) return;
    throw new ApprovalError(
      "APPROVAL_FULL",
      `Cannot ask about "${toolName}": ${count} questions wait for an answer already; have a person answer them, or let them expire`,
    );
  }

  async #settled(ids: readonly string[]): Promise<ReadonlyMap<string, Settled>> {
    const db = await this.#db.queries();
    const now = this.#options.clock.now();
    const settled = new Map<string, Settled>();
    for (let at = 0; at < ids.length; at += maxLookedFor) {
      const some = ids.slice(at, at + maxLookedFor);
      const rows = await db.selectFrom("approval").select(settledColumns).where("id", "in", some).execute();
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const id of some) {
        const row = byId.get(id);
        const answer = row && readAnswer(row);
        if (answer !== undefined) settled.set(id, { answer });
        else if (row === undefined) settled.set(id, { fault: notFound(id) });
        else if (findApprovalState(row, now) !== "pending") settled.set(id, { fault: tooLate(row, now) });
      }
    }
    return settled;
  }
}

/** Who may answer is said in globs. */
function isAmong(approvers: readonly string[], by: string): boolean {
  return approvers.some((glob) => compileGlob(glob)(by));
}

/** The same question to the same people. */
function waitingFor(
  tx: Transaction<Tables>,
  { digest, approvers }: ApprovalRow,
): Promise<ApprovalRow | undefined> {
  if (digest === null) return Promise.resolve(undefined);
  return tx
    .selectFrom("approval")
    .selectAll()
    .where("digest", "=", digest)
    .where("approvers", "=", approvers)
    .where("state", "=", "pending")
    .executeTakeFirst();
}

async function waitLonger(
  tx: Transaction<Tables>,
  { id, waits_until: until }: ApprovalRow,
  { waits_until: wanted }: ApprovalRow,
): Promise<void> {
  if (wanted === null || (until !== null && until >= wanted)) return;
  await tx.updateTable("approval").set({ waits_until: wanted }).where("id", "=", id).execute();
}

/** {@link findApprovalState} as a query. */
function isIn(row: ExpressionBuilder<Tables, "approval">, state: ApprovalState, now: number) {
  const over = row.and([row("state", "in", ["pending", "approved"]), row("expires_at", "<=", now)]);
  if (state === "expired") return row.or([row("state", "=", "expired"), over]);
  return row.and([row("state", "=", state), row.not(over)]);
}

function notFound(id: string): ApprovalError {
  return new ApprovalError(
    "APPROVAL_NOT_FOUND",
    `Cannot find the question "${id}"; \`haft approvals\` lists those that wait`,
  );
}

function notYours(row: ApprovalRow, by: string): ApprovalError {
  const who = readApprovers(row).join(", ") || "nobody";
  return new ApprovalError(
    "APPROVAL_NOT_YOURS",
    `Cannot answer the question "${row.id}" as ${by}: it is for ${who}; let one of them answer`,
  );
}

function notOffered(row: ApprovalRow, wanted: string): ApprovalError {
  const known = readOffers(row).map(({ id, terms }) => `${id} (for ${terms.join(", ")})`);
  const instead =
    known.length === 0 ? "a yes to it is for once" : `it can be remembered as ${known.join(" or ")}`;
  return new ApprovalError(
    "APPROVAL_NOT_OFFERED",
    `Cannot answer the question "${row.id}" with a yes remembered as "${wanted}" for that long: ${instead}`,
  );
}

function changed({ id }: ApprovalRow): ApprovalError {
  return new ApprovalError(
    "APPROVAL_CHANGED",
    `Cannot answer the question "${id}" with that yes: what was shown is not what is asked; look at the question again`,
  );
}

function tooLate(row: SettledColumns, now: number): ApprovalError {
  const state = findApprovalState(row, now);
  const { withdrawn: why } = readWithdrawal(row);
  if (why !== undefined)
    return new ApprovalError(
      "APPROVAL_EXPIRED",
      `Cannot answer the question "${row.id}": it was taken back at ${new Date(row.expires_at).toISOString()}, as ${why}`,
    );
  if (row.answered_by === null) {
    return new ApprovalError(
      "APPROVAL_EXPIRED",
      `Cannot answer the question "${row.id}": it expired at ${new Date(row.expires_at).toISOString()}; have the call made again`,
    );
  }
  const how = state === "denied" ? "no" : "yes";
  return new ApprovalError(
    "APPROVAL_ANSWERED",
    `Cannot answer the question "${row.id}": ${row.answered_by} said ${how} already; have the call made again to be asked anew`,
    { details: { by: row.answered_by, state } },
  );
}
