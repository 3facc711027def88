import { expect, test } from "vitest";
import type { Mode } from "../../src/kernel/index.ts";
import { readTaskIds, spawn, TaskWorld } from "../support/task-world.ts";

test.each<readonly [Mode, Mode | undefined, Mode | undefined]>([
  ["auto", "ask", "ask"],
  ["auto", undefined, undefined],
  ["auto", "auto", "auto"],
  ["ask", "auto", "ask"],
  ["ask", undefined, "ask"],
])(
  "a task that was begun in mode %s goes on for a run of mode %s in mode %s",
  async (begun, now, expected) => {
    const world = new TaskWorld();
    await world.script(
      (turn) => {
        const [id] = readTaskIds(turn);
        if (id === undefined) return { calls: [spawn("Draw", "draw it")] };
        const isAsked = turn.text.includes("Once more") && turn.results.length === 1;
        const resume = { name: "resume_task", input: { task_id: id, input: "in red" } };
        return isAsked ? { calls: [resume] } : { text: "So be it." };
      },
      { draw: () => ({ text: "Done." }) },
    );
    const { run } = await world.say("Begin", { mode: begun });
    const { sessionId } = run;
    await world.say("Once more", { sessionId, ...(now !== undefined && { mode: now }) });
    const { runs } = await (await world.app()).store();
    const tasks = await runs.list({ scope: "local", below: sessionId });
    expect(tasks.map(({ settings }) => (settings as { mode?: Mode }).mode)).toEqual([expected, begun]);
  },
);
