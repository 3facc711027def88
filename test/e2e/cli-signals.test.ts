import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Place, untilSays } from "./cli-process.ts";
import { hasTerminal, PseudoTerminal } from "./pseudo-terminal.ts";

/** Starts the checkout, as people do; what is built already is not built again. */
const npmStart = (place: Place) => [
  "npm",
  "--prefix",
  process.cwd(),
  "start",
  "--ignore-scripts",
  "--",
  "--port",
  "0",
  "--folder",
  place.folder,
];

/** Whether the store was closed: SQLite leaves its log otherwise. */
const isClosed = ({ home }: Place) =>
  existsSync(join(home, "haft.db")) && !existsSync(join(home, "haft.db-wal"));

test("npm start ends when npm is told to end", async () => {
  const place = new Place();
  const [program = "", ...args] = npmStart(place);
  const npm = spawn(program, args, { env: place.environment(), cwd: place.folder, detached: true });
  const ended = new Promise((done) => npm.once("close", done));
  onTestFinished(() => {
    if (npm.exitCode === null && npm.signalCode === null) process.kill(-(npm.pid as number), "SIGKILL");
  });
  await untilSays(npm.stdout, "Listening on");
  npm.kill("SIGTERM");
  // Its output is closed once nobody can write to it any more: the server, too, has gone.
  await ended;
  expect(isClosed(place)).toBe(true);
});

test.skipIf(!hasTerminal).each([
  ["serve", ["--port", "0"], "Listening on"],
  ["chat", [], "No model is configured"],
] as const)("haft %s closes its store when its terminal is closed", async (name, args, shown) => {
  const place = new Place();
  const terminal = new PseudoTerminal(place, [name, ...args]);
  await terminal.shows(shown);
  terminal.close();
  expect((await terminal.ended).exitCode).toBe(0);
  expect(isClosed(place)).toBe(true);
});

test.skipIf(!hasTerminal)("npm start ends cleanly at one Ctrl-C", async () => {
  const place = new Place();
  const terminal = new PseudoTerminal(place, [], { program: ["/usr/bin/env", ...npmStart(place)] });
  await terminal.shows("Listening on");
  terminal.type("\u0003");
  expect((await terminal.ended).exitCode).toBe(0);
  expect(isClosed(place)).toBe(true);
});
