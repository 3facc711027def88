import { expect, expectTypeOf, test } from "vitest";
import { createTestExecutor, settle } from "../../../test/support/test-executor.ts";
import { defineTool } from "../tool/tool.ts";
import type { ToolUpdate } from "./context.ts";
import { EventBus, type ToolEvent, toolEventCodes } from "./events.ts";
import type { ToolFailure, ToolSuccess } from "./result.ts";

interface Note {
  readonly type: "note";
  readonly text: string;
}

const note = (text: string): Note => ({ type: "note", text });

test("EventBus.emit() tells every listener at once, in the order they came", () => {
  const bus = new EventBus<Note>();
  const log: string[] = [];
  bus.on(({ text }) => log.push(`first ${text}`));
  bus.on(({ text }) => log.push(`second ${text}`));
  bus.emit(note("a"));
  bus.emit(note("b"));
  expect(log).toEqual(["first a", "second a", "first b", "second b"]);
});

test("EventBus.on() ends one registration, and leaves the others of the same listener", () => {
  const bus = new EventBus<Note>();
  const log: string[] = [];
  const listener = ({ text }: Note) => log.push(text);
  const end = bus.on(listener);
  bus.on(listener);
  end();
  end();
  bus.emit(note("a"));
  expect(log).toEqual(["a"]);
});

test("EventBus.emit() still tells those who listened when it began, whoever leaves or comes meanwhile", () => {
  const bus = new EventBus<Note>();
  const log: string[] = [];
  bus.on(() => {
    endSecond();
    bus.on(() => log.push("late"));
  });
  const endSecond = bus.on(() => log.push("second"));
  bus.emit(note("a"));
  expect(log).toEqual(["second"]);
});

test("EventBus.emit() tells the others when a listener throws or rejects, and reports the fault with its event", async () => {
  const reported: unknown[] = [];
  const bus = new EventBus<Note>((error, event) => reported.push([error, event]));
  const log: string[] = [];
  bus.on(() => {
    throw new Error("thrown");
  });
  bus.on(async () => {
    throw new Error("rejected");
  });
  bus.on(({ text }) => log.push(text));
  const event = note("a");
  bus.emit(event);
  await settle();
  expect(log).toEqual(["a"]);
  expect(reported).toEqual([
    [new Error("thrown"), event],
    [new Error("rejected"), event],
  ]);
});

test("EventBus.emit() is not harmed by a reporter that throws", async () => {
  const bus = new EventBus<Note>(() => {
    throw new Error("nor this");
  });
  const log: string[] = [];
  bus.on(() => {
    throw new Error("not this");
  });
  bus.on(() => Promise.reject(new Error("and not this")));
  bus.on(() => log.push("told"));
  bus.emit(note("a"));
  await settle();
  expect(log).toEqual(["told"]);
});

test("EventBus.emit() does not wait for a listener", async () => {
  const bus = new EventBus<Note>();
  const log: string[] = [];
  bus.on(async () => {
    await settle();
    log.push("slow listener");
  });
  bus.emit(note("a"));
  log.push("emitted");
  await settle();
  await settle();
  expect(log).toEqual(["emitted", "slow listener"]);
});

test("EventBus.idle says whether anybody listens", () => {
  const bus = new EventBus<Note>();
  expect(bus.idle).toBe(true);
  const end = bus.on(() => {});
  expect(bus.idle).toBe(false);
  end();
  expect(bus.idle).toBe(true);
});

test("toolEventCodes has the numbers of other agents' protocols", () => {
  expect(toolEventCodes).toEqual({
    "tool.requested": 400,
    "tool.updated": 405,
    "tool.completed": 410,
    "tool.failed": 420,
  });
});

test("the type of an event says what it carries, and its number", async () => {
  const carried = (event: ToolEvent): unknown => {
    switch (event.type) {
      case "tool.requested":
        expectTypeOf(event.params).toEqualTypeOf<unknown>();
        expectTypeOf(event.code).toEqualTypeOf<400>();
        return event.params;
      case "tool.updated":
        expectTypeOf(event.update).toEqualTypeOf<ToolUpdate>();
        return event.update;
      case "tool.completed":
        expectTypeOf(event.result).toEqualTypeOf<ToolSuccess>();
        return event.result.result;
      case "tool.failed":
        expectTypeOf(event.result).toEqualTypeOf<ToolFailure>();
        return event.result.code;
    }
  };
  const parameters = { type: "object" } as const;
  const tool = defineTool({ name: "one", description: "Gives one.", parameters, execute: () => 1 });
  const { executor } = createTestExecutor([tool]);
  const events: unknown[] = [];
  executor.events.on((event) => events.push([event.code, carried(event)]));
  await executor.run("one", {});
  await executor.run("two", {});
  expect(events).toEqual([
    [400, {}],
    [410, 1],
    [400, {}],
    [420, "TOOL_NOT_FOUND"],
  ]);
});
