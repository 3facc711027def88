import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "../e2e/cli-process.ts";
import { useScriptedProvider } from "../support/scripted-provider.ts";

test("haft trace shows the requests and calls of a run, found by the run's id or the session's", async () => {
  const place = new Place();
  writeFileSync(join(place.folder, "notes.txt"), "Buy milk.\n");
  await useScriptedProvider(
    place,
    [{ calls: [{ name: "read", input: { path: "notes.txt" } }] }, { text: "Milk." }],
    "",
    { model: "prices: { input: 1, output: 10 }" },
  );
  const ran = await place.run(["run", "What is to be bought?", "--json"]);
  const [began] = ran.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { runId: string; sessionId: string });
  const byRun = await place.run(["trace", began?.runId ?? "", "--json"]);
  const trace = JSON.parse(byRun.stdout);
  expect(trace).toMatchObject({ kind: "run", name: "main", state: "completed", about: "2 steps" });
  expect(trace.spans).toMatchObject([
    { kind: "model", about: "step 1", state: "completed", tokens: 110, costMicros: 200 },
    { kind: "call", name: "read", state: "completed", about: expect.stringContaining("notes.txt") },
    { kind: "model", about: "step 2" },
  ]);
  const bySession = await place.run(["trace", began?.sessionId ?? ""]);
  expect(bySession.stdout).toMatch(
    /main .*completed \[end\].*\n.*step 1, 110 tokens, \$0\.0002\n.*read.*notes\.txt/,
  );
  expect(await place.run(["trace", "nobody"])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("haft audit"),
  });
});
