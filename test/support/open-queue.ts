import { expect, onTestFinished } from "vitest";
import { openStore, type Store } from "../../src/app/store/index.ts";
import type { CallContext, Rule, ToolResult } from "../../src/kernel/index.ts";
import type { TaskState } from "../../src/modules/tasks/index.ts";
import { type QueueServices, queueTools } from "../../src/modules/tasks/tools/index.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/index.ts";
import { createTestExecutor } from "./test-executor.ts";

/** The time at which the clock of an opened queue starts. */
export const queueStart: number = Date.UTC(2026, 10, 26, 6);

type Answer = Record<string, unknown> & { created: string; lease: string; claimed: string };

/** Tools of the queue over one store, and short ways to call them. */
export interface OpenQueue {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly run: (tool: string, params?: object, context?: CallContext) => Promise<ToolResult>;
  /** Calls a tool that has to succeed. */
  readonly ok: (tool: string, params?: object, context?: CallContext) => Promise<Answer>;
  /** Calls a tool that has to fail with this code, and a message with these words. */
  readonly fails: (tool: string, params: object, code: string, message: string) => Promise<void>;
  /** Resolves with the id of a new task. */
  readonly create: (title: string, params?: object) => Promise<string>;
  readonly readState: (id: string) => Promise<TaskState>;
  /** Makes a task one that was tried and is blocked. */
  readonly block: (id: string) => Promise<void>;
}

/** Opens the tools of the queue over an empty store in memory, called by a person. */
export async function openQueue(
  services: Partial<QueueServices> = {},
  rules?: readonly Rule[],
): Promise<OpenQueue> {
  const clock = createFakeClock(queueStart);
  const store = await openStore({ path: ":memory:", clock });
  onTestFinished(() => store.close());
  const tools = queueTools({ tasks: store.tasks, project: "shop", ...services });
  const { executor } = createTestExecutor(tools, rules === undefined ? {} : { rules });
  const run = (tool: string, params: object = {}, context: CallContext = {}): Promise<ToolResult> =>
    executor.run(tool, params, { userId: "owner:ada", ...context });
  const ok = async (tool: string, params: object = {}, context: CallContext = {}) => {
    const result = await run(tool, params, context);
    if (!result.success) throw new Error(`${tool}: ${result.text}`);
    return result.result as Answer;
  };
  const fails = async (tool: string, params: object, code: string, message: string) => {
    expect(await run(tool, params)).toMatchObject({
      success: false,
      code,
      error: expect.stringContaining(message),
    });
  };
  const create = async (title: string, params: object = {}) =>
    (await ok("create_task", { title, ...params })).created;
  const readState = async (id: string) => (await store.tasks.require("local", id)).state;
  const block = async (id: string) => {
    await ok("claim_task", { task_id: id });
    await ok("stop_task", { task_id: id });
  };
  return { store, clock, run, ok, fails, create, readState, block };
}
