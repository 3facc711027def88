import { expect, test } from "vitest";
import { type Mode, modes } from "../../kernel/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { requireTighter } from "./resumed-mode.ts";

const begunIn = (mode: Mode | undefined): Run => ({
  id: "run_1",
  scope: "local",
  kind: "turn",
  sessionId: "s_1",
  agentId: "main",
  parentId: undefined,
  rootId: "run_1",
  depth: 0,
  state: "paused",
  why: "steps",
  waitFor: undefined,
  result: undefined,
  settings: mode === undefined ? {} : { mode },
  trust: "trusted",
  steps: 1,
  leaseUntil: undefined,
  createdAt: 0,
  changedAt: 0,
  endedAt: undefined,
  project: undefined,
});

test.each<[Mode | undefined, readonly Mode[]]>([
  ["plan", ["plan"]],
  ["locked", ["locked"]],
  ["ask", ["plan", "ask", "locked"]],
  ["auto", modes],
  [undefined, modes],
])("a run that was begun in the mode %s goes on in the modes %j", (own, allowed) => {
  const taken = modes.filter((mode) => {
    try {
      requireTighter(begunIn(own), mode);
      return true;
    } catch {
      return false;
    }
  });
  expect(taken).toEqual(allowed);
});

test("a looser mode is refused with what to do", () => {
  expect(() => requireTighter(begunIn("ask"), "auto")).toThrow(
    expect.objectContaining({
      code: "AGENT_MODE",
      message:
        'Cannot go on with the run "run_1" in mode auto: it was begun in mode ask, which allows less; leave --mode out, or take `--mode ask` or `--mode plan` or `--mode locked`. Something new said to the session "s_1" may be done in mode auto',
    }),
  );
});
