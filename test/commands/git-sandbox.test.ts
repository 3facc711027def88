import { expect, test } from "vitest";
import { ToolExecutor, ToolRegistry } from "../../src/kernel/index.ts";
import { GitBench } from "../support/git-bench.ts";
import { openSandbox, sandboxHere } from "../support/sandbox-levels.ts";

const { level, inSandbox } = await sandboxHere();

test(
  "git stashes and switches in a sandbox where nobody can be asked, without its own collection of garbage, and undo puts it back",
  inSandbox,
  async () => {
    using bench = new GitBench(openSandbox(level));
    bench.git("config", "user.name", "a");
    bench.git("config", "user.email", "a@example.com");
    const registry = new ToolRegistry();
    registry.register(bench.bash);
    const executor = new ToolExecutor(registry);
    const before = bench.state();
    const command =
      "git stash && git switch other && git config --get gc.auto && git config --get maintenance.auto";
    const result = await executor.execute("bash", { command }, { allowedPaths: [bench.root] });
    expect(result.text).toMatch(/WIP on main[^]*\n0\nfalse/);
    expect(bench.state()).not.toEqual(before);
    await bench.undo(bench.changes.recorded[0]?.callId ?? "");
    expect(bench.state()).toEqual(before);
    await bench.processes.close();
  },
);

test("git does not run where its state can't be recorded any more", inSandbox, async () => {
  using bench = new GitBench(openSandbox(level));
  const effects = await bench.effectsOfLine("git stash");
  bench.git("update-ref", "MERGE_HEAD", "other");
  const before = bench.state();
  const context = { ...bench.toContext("c1"), effects };
  const run = async () => bench.bash.execute({ command: "git stash" } as never, context);
  await expect(run()).rejects.toMatchObject({ code: "SNAPSHOT_FAILED" });
  expect(bench.state()).toEqual(before);
  await bench.processes.close();
});
