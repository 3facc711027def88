import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { Terminal } from "../terminal.ts";
import { readPiped } from "./piped-text.ts";

function open(isTTY: boolean) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stderr = new PassThrough({ encoding: "utf8" });
  const clock = createFakeClock();
  const terminal = new Terminal({ stdin, stdout: new PassThrough(), stderr });
  const read = () => readPiped(terminal, { signal: new AbortController().signal, clock });
  return { stdin, clock, read, err: () => String(stderr.read() ?? "") };
}

test("readPiped() says what it waits for if the pipe stays open, once", async () => {
  const { stdin, clock, read, err } = open(false);
  const text = read();
  stdin.write("the ");
  await clock.advance(2_999);
  expect(err()).toBe("");
  await clock.advance(1);
  expect(err()).toContain("Waiting for the end of standard input");
  await clock.advance(60_000);
  stdin.end("diff");
  expect(await text).toBe("the diff");
  expect([err(), clock.pending]).toEqual(["", 0]);
});

test("readPiped() says nothing where the pipe ends at once, and reads nothing from a terminal", async () => {
  const piped = open(false);
  piped.stdin.end("x");
  expect(await piped.read()).toBe("x");
  expect([piped.err(), piped.clock.pending]).toEqual(["", 0]);
  const typed = open(true);
  expect(await typed.read()).toBe("");
  expect(typed.clock.pending).toBe(0);
});
