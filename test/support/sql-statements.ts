import { DatabaseSync, type StatementSync } from "node:sqlite";

/** One statement that ran. */
export interface RanStatement {
  readonly sql: string;
  /** The rows that it gave. */
  readonly rows: number;
}

/**
 * Records the statements that this process runs from now on, `begin` and `commit` too. Returns a function that gives those
 * that ran since it was called last.
 */
export function recordStatements(): () => readonly RanStatement[] {
  let ran: RanStatement[] = [];
  const prototype = DatabaseSync.prototype;
  const prepare = Reflect.get(prototype, "prepare") as (this: DatabaseSync, sql: string) => StatementSync;
  prototype.prepare = function (this: DatabaseSync, sql: string): StatementSync {
    const statement = prepare.call(this, sql);
    for (const way of ["all", "get", "run"] as const) {
      const run = statement[way].bind(statement) as (...values: unknown[]) => unknown;
      const recorded = (...values: unknown[]) => {
        const result = run(...values);
        ran.push({ sql, rows: countRows(way, result) });
        return result;
      };
      Object.defineProperty(statement, way, { value: recorded });
    }
    return statement;
  };
  return () => ran.splice(0);
}

function countRows(way: "all" | "get" | "run", result: unknown): number {
  if (way === "all") return (result as unknown[]).length;
  return way === "get" && result !== undefined ? 1 : 0;
}
