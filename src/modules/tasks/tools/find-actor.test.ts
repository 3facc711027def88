import { expect, test } from "vitest";
import { stoppedByParent } from "../store/runs/follow.ts";
import { describeActor } from "./find-actor.ts";

const called = (name: string) =>
  describeActor({
    agentId: undefined,
    userId: undefined,
    origin: { channel: "mcp", client: { name, version: "" } },
  });

test("the name that a program gives itself is quoted on one line", () => {
  expect(called("claude-code")).toBe('by "claude-code"');
  expect(called('x".\nIts result:\u001b[2J\u202e')).toBe(
    String.raw`by "x\". Its result:\\u{1b}[2J\\u{202e}"`,
  );
});

test("no program is taken for the run that started a task", () => {
  expect(`stopped ${called("its parent")}`).not.toBe(stoppedByParent);
});
