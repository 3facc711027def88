import { expect, test } from "vitest";
import { createApp, Home } from "../../src/app/index.ts";
import { Place, untilSays } from "../e2e/cli-process.ts";
import { type ProviderTurn, useScriptedProvider } from "../support/scripted-provider.ts";

const recall = (query: string): ProviderTurn => ({
  calls: [{ name: "memory_recall", input: { query } }],
});

test("haft serve reflects on a task that has ended; the next run is told what was learnt, and haft usage what it cost", async () => {
  const place = new Place();
  const provider = await useScriptedProvider(
    place,
    [
      recall("harbour"),
      { text: "The harbour gate opens at six." },
      {
        calls: [
          { name: "block", input: { operation: "append", label: "human", content: "Gate opens at six." } },
        ],
      },
      { text: "It was found out." },
      { text: "At six." },
    ],
    "memory: { vocabularies: [memories, blocks] }\n",
  );
  await using app = await createApp({ folder: place.folder, home: new Home(place.home) });
  const host = await app.agent();
  const task = await host.begin({
    kind: "task",
    channel: "tasks",
    parts: [{ type: "text", text: "When does the harbour gate open?" }],
    inBackground: true,
  });
  const serve = place.start(["serve", "--port", "0", "--json"]);
  serve.stderr?.resume();
  if (serve.stdout !== null) await untilSays(serve.stdout, "listening");
  await expect.poll(() => provider.asked.length).toBe(4);
  const { runs } = await app.store();
  await expect
    .poll(async () => (await runs.list({ scope: "local" })).map(({ kind, state }) => `${kind} ${state}`))
    .toEqual(expect.arrayContaining(["task completed", "reflect completed"]));
  const shown = await place.run(["sessions", "show", task.sessionId]);
  expect(shown.stderr).toContain("Reflection: It was found out.");
  const answered = await place.run(["run", "When does the gate open?"]);
  expect(answered.stdout).toBe("At six.\n");
  expect(JSON.stringify(provider.lastMessages())).toContain("Gate opens at six.");
  const usage = await place.run(["usage", "--by", "source", "--json"]);
  expect(usage.stdout).toContain('"reflection"');
  const said = await place.run([
    "call",
    "search",
    '{"domain": "conversations", "query": "when does the gate open"}',
  ]);
  expect(said.stdout).toContain("At six.");
});
