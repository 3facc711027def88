import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApp, Home } from "../../src/app/index.ts";
import { Place } from "../e2e/cli-process.ts";
import { type ProviderTurn, useScriptedProvider } from "../support/scripted-provider.ts";

const write = { name: "write", input: { path: "new.txt", content: "x" } };

/** A place with a run that paused after its first step in a mode. */
async function openPaused(mode: string, then: readonly ProviderTurn[]) {
  const place = new Place();
  writeFileSync(join(place.folder, "notes.txt"), "Buy milk.\n");
  const read = { name: "read", input: { path: "notes.txt" } };
  const provider = await useScriptedProvider(place, [
    { calls: [read] },
    { text: "One file is read." },
    ...then,
  ]);
  const paused = await place.run(["run", "Read all", "--steps", "1", "--mode", mode]);
  const [, id = ""] = /haft run --resume (\S+)/.exec(paused.stderr) ?? [];
  return { place, provider, id };
}

async function listRuns({ folder, home }: Place) {
  const app = await createApp({ folder, home: new Home(home) });
  onTestFinished(() => app.close());
  return (await app.store()).runs.list({ scope: "local" });
}

test("haft run --resume --mode has the run go on in a mode that allows less", async () => {
  const { place, provider, id } = await openPaused("ask", [{ calls: [write] }, { text: "It can't." }]);
  const resumed = await place.run(["run", "--resume", id, "--steps", "5", "--mode", "plan"]);
  expect(resumed).toMatchObject({ exitCode: 0, stdout: "It can't.\n" });
  expect(JSON.stringify(provider.lastMessages().at(-1))).toContain("mode plan only looks");
  expect(existsSync(join(place.folder, "new.txt"))).toBe(false);
  expect((await listRuns(place))[0]?.settings).toMatchObject({ mode: "plan" });
});

test("a mode that allows more is refused for a resumed run, and taken for what is said next", async () => {
  const { place, provider, id } = await openPaused("plan", [{ calls: [write] }, { text: "Written." }]);
  const refused = await place.run(["run", "--resume", id, "--mode", "auto"]);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("leave --mode out, or take `--mode plan`.");
  expect(provider.asked).toHaveLength(2);
  const [run] = await listRuns(place);
  const chat = await place.run(["chat", "--resume", run?.sessionId ?? "", "--mode", "ask"], "Now write\n");
  expect(chat).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Written.") });
  expect(chat.stderr).toContain("in mode ask: it was begun in mode plan");
  expect(existsSync(join(place.folder, "new.txt"))).toBe(true);
  expect((await listRuns(place))[0]?.settings).toMatchObject({ mode: "ask" });
});
