import { expect, test } from "vitest";
import { openStore } from "../../../app/store/index.ts";
import { createRedactor } from "../../../kernel/index.ts";
import type { NewEntry } from "./entries.ts";

const secret = "s3cr3t-of-ada";
const redact = createRedactor(new Map([["KEY", secret]]));

test("entries, messages, titles, prefixes and results of runs are stored without known secrets", async () => {
  await using store = await openStore({ path: ":memory:", redact });
  const { sessions, runs } = store;
  const session = await sessions.open({ scope: "s", agentId: "main", channel: "t", title: `of ${secret}` });
  const says = { type: "text", text: `it is ${secret}` } as const;
  const image = {
    type: "image",
    mimeType: "image/png",
    data: Buffer.from(secret).toString("base64"),
  } as const;
  await sessions.post({ scope: "s", sessionId: session.id, sender: "user", parts: [says, image] });
  const { id } = await runs.begin({ scope: "s", kind: "turn", sessionId: session.id });
  const run = await runs.claim("s", id, 60_000);
  if (run === undefined) throw new Error("It was not to be had");
  const thought = {
    type: "reasoning",
    text: "…",
    opaque: { model: "m", data: { signature: secret } },
  } as const;
  const call = {
    type: "call",
    id: "1",
    name: "bash",
    input: JSON.stringify({ command: `echo ${secret}` }),
  } as const;
  const entries: readonly NewEntry[] = [
    { kind: "user", parts: [says, image] },
    {
      kind: "answer",
      step: 1,
      model: "m",
      stop: "calls",
      message: { role: "assistant", parts: [thought, says, call] },
    },
    { kind: "result", callId: `${id}.1.1`, name: "bash", text: secret, failed: false },
    { kind: "note", about: "time", text: secret, state: { all: [`of ${secret}`, 1, null], one: secret } },
    { kind: "summary", text: secret, keptFrom: 9, attempt: 1 },
  ];
  const written = await runs.write(run, { prefix: { system: [{ text: secret }] }, entries });
  await runs.write(run, { run: { state: "completed", result: secret } });
  const stored = [
    written,
    await sessions.entries("s", session.id),
    await sessions.waiting("s", session.id),
    await sessions.epoch("s", session.id, 1),
    await sessions.get("s", session.id),
    await runs.get("s", id),
  ];
  // A thought is sent back as its provider signed it, and a picture as it is.
  const text = JSON.stringify(stored)
    .replaceAll(JSON.stringify(thought), "")
    .replaceAll(JSON.stringify(image), "");
  expect(text).not.toContain(secret);
  expect(text.match(/\[redacted:KEY\]/g)).toHaveLength(20);
  expect(JSON.stringify(written)).toContain(JSON.stringify(thought));
  await sessions.rename("s", session.id, `still ${secret}`);
  expect((await sessions.get("s", session.id))?.title).toBe("still [redacted:KEY]");
});
