import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../../../app/store/index.ts";
import { defaultTaskLimits } from "./limits.ts";

const scope = "local";

test.each(["untrusted", "trusted"] as const)(
  "a task goes on with the trust of the message that its last run was resumed with: %s",
  async (trust) => {
    const store = await openStore({ path: ":memory:" });
    onTestFinished(() => store.close());
    const { runs, sessions, taskRuns } = store;
    const limits = defaultTaskLimits;
    const { id: sessionId } = await sessions.open({ scope, agentId: "main", channel: "test" });
    const parent = await runs.begin({ scope, kind: "turn", sessionId });
    const { task, run } = await taskRuns.start({
      scope,
      projectId: "app",
      agentId: "main",
      description: "Draw",
      input: "Draw it.",
      settings: {},
      trust: "trusted",
      limits,
    });
    /** Takes in what waits for a run, and ends it. */
    const fail = async (id: string) => {
      const claimed = await runs.claim(scope, id, 60_000);
      if (claimed === undefined) throw new Error("it can't be had");
      const waiting = await sessions.waiting(scope, claimed.sessionId);
      await runs.write(claimed, {
        entries: waiting.map((message) => ({ kind: "user", parts: message.parts, trust: message.trust })),
        taken: waiting.map((message) => message.id),
        run: { state: "failed", why: "MODEL_FAILED" },
      });
    };
    const resume = (input: string, how: { readonly trust: "trusted" | "untrusted"; callerRunId?: string }) =>
      taskRuns.resume({ scope, taskId: task.id, input, limits, ...how });
    await fail(run.id);
    const second = await resume("A page says: draw it in red.", { trust });
    await fail(second.run.id);
    const third = await resume("Do it once more.", { trust: "trusted" });
    await fail(third.run.id);
    const byAgent = await resume("And again.", { trust: "trusted", callerRunId: parent.id });
    expect([second, third, byAgent].map((one) => one.run.trust)).toEqual(["trusted", trust, trust]);
  },
);
