import { DatabaseSync, StatementSync } from "node:sqlite";

/** What a database was asked to do. */
export interface StatementCounts {
  /** Statements that were run, `begin` and `commit` among them. */
  statements: number;
  commits: number;
}

/** Counts what `work` has SQLite do, in all databases of this process. */
export async function countStatements(work: () => Promise<unknown>): Promise<StatementCounts> {
  const counts: StatementCounts = { statements: 0, commits: 0 };
  const restore = [
    ...(["run", "get", "all"] as const).map((name) =>
      wrap(StatementSync.prototype, name, function (this: StatementSync) {
        add(counts, this.sourceSQL);
      }),
    ),
    wrap(DatabaseSync.prototype, "exec", function (this: unknown, sql: unknown) {
      add(counts, String(sql));
    }),
  ];
  try {
    await work();
  } finally {
    for (const put of restore) put();
  }
  return counts;
}

function add(counts: StatementCounts, sql: string): void {
  counts.statements++;
  if (sql.trim().toLowerCase() === "commit") counts.commits++;
}

/** Has `before` called ahead of a method; the returned function takes that back. */
function wrap<Owner extends object, Self>(
  owner: Owner,
  name: keyof Owner & string,
  before: (this: Self, ...args: unknown[]) => void,
): () => void {
  const original = owner[name] as (...args: unknown[]) => unknown;
  const wrapped = function (this: Self, ...args: unknown[]): unknown {
    before.apply(this, args);
    return original.apply(this, args);
  };
  Object.assign(owner, { [name]: wrapped });
  return () => void Object.assign(owner, { [name]: original });
}
