import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "../e2e/cli-process.ts";
import { useScriptedProvider } from "../support/scripted-provider.ts";

const speaks = { agent: "speaks: reply" };
const reply = (input: object) => ({ name: "reply", input });

test("haft run prints only what is said with reply, where the agent speaks so", async () => {
  const place = new Place();
  const provider = await useScriptedProvider(
    place,
    [
      { text: "I think about it.", calls: [reply({ text: "It takes **two** minutes." })] },
      { text: "I have said that.", calls: [reply({ text: "Done: it is 5." })] },
      { text: "Nothing is left." },
    ],
    "",
    speaks,
  );
  const ran = await place.run(["run", "Add 2 and 3"]);
  expect(ran).toMatchObject({ exitCode: 0, stdout: "It takes **two** minutes.\nDone: it is 5.\n" });
  expect(provider.asked).toHaveLength(3);
  expect(provider.asked[0]?.raw).toContain('"name":"reply"');
  expect(provider.asked[0]?.raw).toContain("sees only what you say with the tool reply");
  expect(JSON.stringify(provider.lastMessages())).toContain('{\\"sent\\":true}');
});

test("haft run --json has each reply as an event, and nothing of the text beside it", async () => {
  const place = new Place();
  await useScriptedProvider(
    place,
    [{ text: "Hm.", calls: [reply({ text: "It is 5." })] }, { text: "Nothing is left." }],
    "",
    speaks,
  );
  const { stdout } = await place.run(["run", "Add", "--json"]);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(events.filter(({ type }) => type === "reply")).toEqual([{ type: "reply", text: "It is 5." }]);
  expect(events.some(({ type }) => type === "answer.text")).toBe(false);
  expect(events.at(-1)).toMatchObject({ end: { state: "completed", text: "It is 5." } });
  expect(stdout).not.toContain("Nothing is left.");
});

test("an agent that does not reply is nudged once, and its text is given then", async () => {
  const place = new Place();
  const provider = await useScriptedProvider(place, [{ text: "Unseen." }, { text: "It is 5." }], "", speaks);
  const ran = await place.run(["run", "Add"]);
  expect(ran).toMatchObject({ exitCode: 0, stdout: "It is 5.\n" });
  expect(JSON.stringify(provider.lastMessages().at(-1))).toContain("has not seen your answer");
});

test("a reply to elsewhere, or one that is too long, is refused, and another is made", async () => {
  const place = new Place();
  const provider = await useScriptedProvider(
    place,
    [
      { calls: [reply({ text: "x", channelId: "telegram" }), reply({ text: "x".repeat(20_001) })] },
      { calls: [reply({ text: "Here.", channelId: "terminal" })] },
      { text: "" },
    ],
    "",
    speaks,
  );
  expect(await place.run(["run", "Go"])).toMatchObject({ exitCode: 0, stdout: "Here.\n" });
  const said = JSON.stringify(provider.asked[1]?.body["messages"]);
  expect(said).toContain('the message came from \\"terminal\\"');
  expect(provider.asked).toHaveLength(3);
});

test("the agent's file says how it speaks, over the configuration; reply is there only where it is heard", async () => {
  const place = new Place();
  mkdirSync(join(place.home, "agent"), { recursive: true });
  writeFileSync(join(place.home, "agent/config.md"), "---\nid: quiet\nspeaks: reply\n---\nYou plan.\n");
  const provider = await useScriptedProvider(place, (_, before) =>
    before === 1 ? { calls: [reply({ text: "Said." })] } : { text: "Written." },
  );
  expect(await place.run(["run", "Go"])).toMatchObject({ stdout: "Written.\n" });
  expect(provider.asked[0]?.raw).not.toContain('"name":"reply"');
  expect(await place.run(["run", "Go", "--agent", "quiet"])).toMatchObject({ stdout: "Said.\n" });
  expect((await place.run(["tools", "--json"])).stdout).not.toMatch(/"name":\s*"reply"/);
  expect((await place.run(["call", "reply", "text=Hi"])).exitCode).not.toBe(0);
});

test("haft chat shows replies, one conversation through, and keeps the tool in its list to the byte", async () => {
  const place = new Place();
  const provider = await useScriptedProvider(
    place,
    (_, before) =>
      before % 2 === 0 ? { calls: [reply({ text: `Reply ${before / 2}.` })] } : { text: "Over." },
    "",
    speaks,
  );
  const { exitCode, stdout } = await place.run(["chat"], "Hi\nAnd now?\n");
  expect([exitCode, stdout]).toEqual([0, "Reply 0.\nReply 1.\n"]);
  expect(provider.asked[2]?.body["tools"]).toEqual(provider.asked[0]?.body["tools"]);
});
