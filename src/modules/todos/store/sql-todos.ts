import type { Transaction } from "kysely";
import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { Redact } from "../../../kernel/index.ts";
import { TodoError } from "./errors.ts";
import type { Tables, TodoRow } from "./tables.ts";
import { mostOpen, type NewTodo, type Todo, type TodoChange, type TodoStep, type Todos } from "./todos.ts";

/** {@link Todos} over any {@link TypedDatabase}. */
export class SqlTodos implements Todos {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #redact: Redact;

  constructor(
    db: TypedDatabase<Tables>,
    { clock, redact = (text) => text }: { readonly clock: Clock; readonly redact?: Redact | undefined },
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#redact = redact;
  }

  add({ scope, title, steps = [], due, trust = "trusted" }: NewTodo): Promise<Todo> {
    const now = this.#clock.now();
    return this.#db.write(async (tx) => {
      const counts = await tx
        .selectFrom("todo")
        .select((todo) => [
          todo.fn.max("number").as("last"),
          todo.fn.count<number>("number").filterWhere("state", "=", "open").as("open"),
        ])
        .where("scope", "=", scope)
        .executeTakeFirstOrThrow();
      if (Number(counts.open) >= mostOpen)
        throw new TodoError("TODO_FULL", `There are ${mostOpen} open todos; finish or drop some first`);
      const row: TodoRow = {
        scope,
        number: Number(counts.last ?? 0) + 1,
        title: this.#redact(title),
        steps: formatSteps(steps.map((text) => ({ text: this.#redact(text), isDone: false }))),
        due: due ?? null,
        snoozed_until: null,
        state: "open",
        trust,
        created_at: now,
        changed_at: now,
      };
      await tx.insertInto("todo").values(row).execute();
      return toTodo(row);
    });
  }

  async listOpen(scope: string): Promise<readonly Todo[]> {
    const db = await this.#db.queries();
    const rows = db.selectFrom("todo").selectAll().where("scope", "=", scope).where("state", "=", "open");
    return (await rows.orderBy("number").execute()).map(toTodo);
  }

  change(scope: string, number: number, change: TodoChange): Promise<boolean> {
    return this.#db.write(async (tx) => {
      const row = await requireOpen(tx, scope, number);
      const changed = applyChange(row, change);
      await tx
        .updateTable("todo")
        .set({ ...changed, changed_at: this.#clock.now() })
        .where("scope", "=", scope)
        .where("number", "=", number)
        .execute();
      return changed.state === undefined;
    });
  }
}

async function requireOpen(tx: Transaction<Tables>, scope: string, number: number): Promise<TodoRow> {
  const open = tx.selectFrom("todo").where("scope", "=", scope).where("state", "=", "open");
  const row = await open.selectAll().where("number", "=", number).executeTakeFirst();
  if (row !== undefined) return row;
  const numbers = (await open.select("number").orderBy("number").limit(20).execute()).map(
    (one) => one.number,
  );
  throw new TodoError(
    "TODO_UNKNOWN",
    `There is no open todo ${number}; ${numbers.length === 0 ? "none is open" : `open are ${numbers.join(", ")}`}`,
    { details: { open: numbers } },
  );
}

function applyChange(
  row: TodoRow,
  change: TodoChange,
): Partial<Pick<TodoRow, "state" | "steps" | "snoozed_until">> {
  switch (change.do) {
    case "drop":
      return { state: "dropped" };
    case "snooze":
      return { snoozed_until: change.until };
    case "finish":
      return change.step === undefined ? { state: "done" } : finishStep(row, change.step);
    default:
      return change satisfies never;
  }
}

function finishStep(row: TodoRow, step: number): Partial<Pick<TodoRow, "state" | "steps">> {
  const steps = readSteps(row.steps);
  if (steps[step - 1] === undefined)
    throw new TodoError("TODO_UNKNOWN", `Todo ${row.number} has no step ${step}; it has ${steps.length}`);
  const after = steps.map((one, at) => (at === step - 1 ? { ...one, isDone: true } : one));
  return { steps: formatSteps(after), ...(after.every(({ isDone }) => isDone) && { state: "done" }) };
}

function toTodo(row: TodoRow): Todo {
  return {
    number: row.number,
    title: row.title,
    steps: readSteps(row.steps),
    due: row.due ?? undefined,
    snoozedUntil: row.snoozed_until ?? undefined,
    trust: row.trust,
    createdAt: row.created_at,
  };
}

function readSteps(text: string): readonly TodoStep[] {
  return (JSON.parse(text) as readonly [string, 0 | 1][]).map(([step, done]) => ({
    text: step,
    isDone: done === 1,
  }));
}

function formatSteps(steps: readonly TodoStep[]): string {
  return JSON.stringify(steps.map(({ text, isDone }) => [text, isDone ? 1 : 0]));
}
