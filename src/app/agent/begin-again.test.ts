import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../store/index.ts";
import { beginAgain } from "./begin-again.ts";

const scope = "local";

async function open() {
  const store = await openStore({ path: ":memory:" });
  onTestFinished(() => store.close());
  const { id: sessionId } = await store.sessions.open({ scope, agentId: "main", channel: "terminal" });
  const end = async (kind: "turn" | "reflect", state: "failed" | "completed") => {
    const { id } = await store.runs.begin({ scope, kind, sessionId });
    const claimed = await store.runs.claim(scope, id, 60_000);
    if (claimed === undefined) throw new Error("it can't be had");
    await store.runs.write(claimed, { run: { state } });
    const run = await store.runs.get(scope, id);
    if (run === undefined) throw new Error("it has gone");
    return run;
  };
  return { store, end };
}

test("what failed is begun again after the conversation was summed up", async () => {
  const { store, end } = await open();
  const failed = await end("turn", "failed");
  await end("reflect", "completed");
  expect(await beginAgain(store, failed)).toMatchObject({ kind: "turn", state: "pending" });
});

test("what failed is not begun again after more was said", async () => {
  const { store, end } = await open();
  const failed = await end("turn", "failed");
  await end("turn", "completed");
  await end("reflect", "completed");
  expect(await beginAgain(store, failed)).toBeUndefined();
});
