import { expect, test } from "vitest";
import { openStore } from "../../app/store/index.ts";
import type { ClaimedRun } from "../../modules/sessions/index.ts";
import { StoredJournal } from "./journal.ts";

test("a reopened journal is untrusted whose run took in a stranger's message before its summary", async () => {
  await using store = await openStore({ path: ":memory:" });
  const { id: sessionId } = await store.sessions.open({ scope: "local", agentId: "main", channel: "test" });
  const begin = async () => {
    const { id } = await store.runs.begin({ scope: "local", kind: "task", sessionId });
    return (await store.runs.claim("local", id, 60_000)) as ClaimedRun;
  };
  const run = await begin();
  const journal = await StoredJournal.open(store, run);
  expect(journal.trust).toBe("trusted");
  await journal.write({
    entries: [
      { kind: "user", parts: [{ type: "text", text: "Look here." }], trust: "untrusted" },
      { kind: "summary", text: "It was said.", keptFrom: 2, attempt: 1 },
    ],
  });
  expect(journal.trust).toBe("untrusted");
  expect(journal.entries.map(({ kind }) => kind)).toEqual(["summary"]);
  expect((await StoredJournal.open(store, run)).trust).toBe("untrusted");
  await journal.write({ run: { state: "completed" } });
  expect((await StoredJournal.open(store, await begin())).trust).toBe("trusted");
});
