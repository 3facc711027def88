import { expect, onTestFinished, test } from "vitest";
import { chaosIn, fakeProcesses } from "../../../test/support/fake-mcp-process.ts";
import { openMcp } from "../../../test/support/mcp-servers.ts";
import { createFakeClock } from "../../testing/index.ts";

test("calls of a server come and go while another beside it hangs in all of its own, and no time passes", async () => {
  const clock = createFakeClock();
  const { processes, received } = fakeProcesses(chaosIn());
  const opened = openMcp({ clock, processes }, { clock });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const { connections, executor } = opened;
  await connections.connectAll([
    { name: "hung", command: "chaos", concurrency: 4 },
    { name: "well", command: "chaos" },
  ]);
  const begun = clock.now();
  let ended = 0;
  const hung = Array.from({ length: 12 }, async () => {
    const result = await executor.execute("hung__hang", {});
    ended++;
    return result;
  });
  const asked = () => received.filter(({ params }) => Object(params).name === "hang").length;
  await expect.poll(asked).toBe(4); // Its own places, and no more.

  const texts = Array.from({ length: 500 }, (_, at) => `call ${at}`);
  const answers = await Promise.all(texts.map((text) => executor.execute("well__echo", { text })));
  expect(answers.map(({ text }) => text)).toEqual(texts.map((text) => JSON.stringify({ text })));
  expect({ ended, asked: asked(), passedMs: clock.now() - begun }).toEqual({
    ended: 0,
    asked: 4,
    passedMs: 0,
  });

  await clock.advance(60_000);
  await expect.poll(() => ended).toBeGreaterThanOrEqual(4);
  await connections.disconnectAll();
  for (const result of await Promise.all(hung)) expect(result.success).toBe(false);
});
