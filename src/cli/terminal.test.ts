import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { Terminal } from "./terminal.ts";

const stream = (size: { isTTY?: boolean; columns?: number; rows?: number } = {}) =>
  Object.assign(new PassThrough(), size);

test("Terminal takes a terminal that reports no size for one of 80 columns, for all who draw on it", () => {
  const stderr = stream({ isTTY: true, columns: 0, rows: 0 });
  const terminal = new Terminal({ stdin: stream(), stdout: stream({ isTTY: true }), stderr });
  expect([terminal.width, terminal.errorWidth]).toEqual([80, 80]);
  expect([stderr.columns, stderr.rows]).toEqual([80, 24]);
});

test("Terminal leaves a size that is known, and what is no terminal is as wide as can be", () => {
  const stdout = stream({ isTTY: true, columns: 40, rows: 10 });
  const terminal = new Terminal({ stdin: stream(), stdout, stderr: stream({ columns: 0 }) });
  expect([terminal.width, terminal.errorWidth]).toEqual([40, Number.POSITIVE_INFINITY]);
});

const fault = (code: string) => Object.assign(new Error(`write ${code}`), { code });

test("Terminal writes nothing more to a terminal that was closed", async () => {
  const stderr = stream({ isTTY: true });
  const stdout = stream();
  const terminal = new Terminal({ stdin: stream(), stdout, stderr });
  stderr.emit("error", fault("EIO"));
  terminal.err("stopping");
  await terminal.flush();
  expect(stderr.read()).toBeNull();
  expect(() => stdout.emit("error", fault("EIO"))).toThrow("EIO");
});
