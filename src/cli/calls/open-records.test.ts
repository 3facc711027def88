import { PassThrough } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import type { App, IndexProgress, Records } from "../../app/index.ts";
import type { Session } from "../session.ts";
import { Terminal } from "../terminal.ts";
import { openRecords } from "./open-records.ts";

afterEach(() => void vi.useRealTimers());

/** What is said on standard error while an index of a million rows is filled. */
async function watchFilling(isTTY: boolean, stop?: AbortController): Promise<string> {
  vi.useFakeTimers({ toFake: ["Date"] });
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 });
  const terminal = new Terminal({ stdin: new PassThrough(), stdout: new PassThrough(), stderr });
  const { signal } = stop ?? new AbortController();
  let tell: (indexing: IndexProgress | undefined) => void = () => {};
  const records = {
    onIndexing: (listener: typeof tell) => {
      tell = listener;
      return () => {};
    },
  } as Pick<Records, "onIndexing"> as Records;
  const app = { records: () => Promise.resolve(records) } as Pick<App, "records"> as App;
  expect(
    await openRecords({ terminal, signal } as Pick<Session, "terminal" | "signal"> as Session, app),
  ).toBe(records);
  tell({ part: "calls", rows: 0, of: 1_000_000 });
  vi.setSystemTime(Date.now() + 300);
  tell({ part: "calls", rows: 400_000, of: 1_000_000 });
  if (stop === undefined) tell(undefined);
  else stop.abort();
  vi.setSystemTime(Date.now() + 300);
  if (stop !== undefined) tell({ part: "calls", rows: 500_000, of: 1_000_000 });
  return String(stderr.read() ?? "");
}

test("at a terminal it is said how far the index is, and the line is gone at the end", async () => {
  const line = "Indexing calls: 400,000 of 1,000,000 rows";
  expect(await watchFilling(true)).toBe(`\r${line}\r${" ".repeat(line.length)}\r`);
});

test("an interrupt clears the line, and none comes after", async () => {
  const line = "Indexing calls: 400,000 of 1,000,000 rows";
  expect(await watchFilling(true, new AbortController())).toBe(`\r${line}\r${" ".repeat(line.length)}\r`);
});

test("elsewhere nothing is said", async () => {
  expect(await watchFilling(false)).toBe("");
});
