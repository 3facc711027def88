import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConsoleWorld } from "../../../../test/support/console-world.ts";
import { OwnerPin } from "../../../app/index.ts";
import type { QuestionDetail } from "../api/index.ts";

/** A console with an open tab, and a file outside the project, which an agent may only write when it is allowed. */
async function openWorld() {
  const world = await ConsoleWorld.open();
  const file = world.place.write("outside/notes.txt", "one\ntwo\nthree\n");
  const token = await world.openSession();
  const ask = async (tool: string, params: object): Promise<string> => {
    const refused = await world.opened.call(tool, params);
    return refused.success ? "" : String(refused.details?.["approval"]);
  };
  const look = async (id: string) =>
    (await world.ask("GET", `/questions/${id}`, { token })).body as QuestionDetail;
  const answer = (id: string, body: object) => world.ask("POST", `/questions/${id}/answer`, { token, body });
  return { world, file, token, ask, look, answer };
}

const edit = { old_string: "two", new_string: "2" };

test("a question is shown with the change of its file, and a yes with its digest lets the call run", async () => {
  const { world, file, token, ask, look, answer } = await openWorld();
  const id = await ask("edit", { path: file, ...edit });
  expect(await world.ask("GET", "/questions", { token })).toMatchObject({
    status: 200,
    body: [{ id, toolName: "edit" }],
  });
  const { question, diff } = await look(id);
  expect(question).toMatchObject({ id, params: { path: file, ...edit }, state: "pending" });
  expect(diff).toBe(`--- ${file}\n+++ ${file}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n`);
  expect(readFileSync(file, "utf8")).toContain("two");
  const yes = await answer(id, { decision: "approve", digest: question.digest });
  expect(yes).toMatchObject({
    status: 200,
    body: { state: "approved", answer: { approved: true, by: "owner:console" } },
  });
  expect(await world.opened.call("edit", { path: file, ...edit })).toMatchObject({ success: true });
  expect(readFileSync(file, "utf8")).toBe("one\n2\nthree\n");
  expect((await look(id)).diff).toBeUndefined();
});

test("the change of a whole file is shown, and none that has secrets, can't be made or is no text", async () => {
  const { world, file, ask, look } = await openWorld();
  const place = (name: string) => join(world.place.root, "outside", name);
  const readDiff = async (tool: string, params: object) => (await look(await ask(tool, params))).diff;
  expect(await readDiff("write", { path: place("new.txt"), content: "new\n" })).toBe(
    `--- /dev/null\n+++ ${place("new.txt")}\n@@ -0,0 +1,1 @@\n+new\n`,
  );
  world.place.write("outside/.env", "KEY=value\n");
  world.place.write("outside/data.bin", "\0\u0001\u0002\0");
  expect(await readDiff("write", { path: place(".env"), content: "KEY=other\n" })).toBeUndefined();
  expect(await readDiff("edit", { path: place("data.bin"), ...edit })).toBeUndefined();
  expect(await readDiff("edit", { path: file, old_string: "four", new_string: "4" })).toBeUndefined();
  expect(await readDiff("read", { path: file })).toBeUndefined();
});

test("a stored secret is not shown in the change of a file", async () => {
  const { world, file, ask, look } = await openWorld();
  await world.opened.app.secrets.set("local", "KEY", "hunter2-hunter2");
  world.place.write("outside/notes.txt", "pass hunter2-hunter2\ntwo\n");
  const { diff } = await look(await ask("edit", { path: file, ...edit }));
  expect(diff).toContain("+2");
  expect(diff).not.toContain("hunter2");
});

test("an offer says how many other questions of the last days it would have answered", async () => {
  const { world, ask, look } = await openWorld();
  const path = (name: string) => world.place.write(`outside/sub/${name}`, "two\n");
  for (const name of ["a.txt", "b.txt"]) await ask("read", { path: path(name) });
  await ask("edit", { path: path("c.txt"), ...edit });
  await ask("read", { path: world.place.write("elsewhere/d.txt", "two\n") });
  const { question, covered } = await look(await ask("read", { path: path("e.txt") }));
  const wider = question.offers.find(({ patterns }) => patterns !== undefined);
  expect(wider?.label).toContain("outside/sub");
  expect(covered).toEqual({ [wider?.id ?? ""]: 2 });
});

test("a yes needs the digest of what was shown; nothing unclear is taken for an answer", async () => {
  const { file, ask, look, answer } = await openWorld();
  const id = await ask("edit", { path: file, ...edit });
  const { question } = await look(id);
  const { digest } = question;
  const refused = [
    [{ decision: "approve" }, 400, "CONSOLE_INPUT"],
    [{ decision: "approve", digest: `${digest}0` }, 409, "APPROVAL_CHANGED"],
    [
      { decision: "approve", digest, remember: { offer: "everything", term: "always" } },
      400,
      "CONSOLE_INPUT",
    ],
    [{ decision: "yes", digest }, 400, "CONSOLE_INPUT"],
    [{ decision: "approve", digest, by: "owner:ada" }, 400, "CONSOLE_INPUT"],
    [{ decision: "deny", reason: 1 }, 400, "CONSOLE_INPUT"],
    [[], 400, "CONSOLE_INPUT"],
  ] as const;
  for (const [body, status, code] of refused)
    expect(await answer(id, body)).toMatchObject({ status, body: { code } });
  expect((await look(id)).question).toMatchObject({ state: "pending" });
  expect(await answer(id, { decision: "deny", reason: "not that one" })).toMatchObject({
    status: 200,
    body: { state: "denied", answer: { by: "owner:console", reason: "not that one" } },
  });
  expect(await answer(id, { decision: "approve", digest })).toMatchObject({
    status: 409,
    body: { code: "APPROVAL_ANSWERED" },
  });
  expect(await answer("a_unknown", { decision: "deny" })).toMatchObject({
    status: 404,
    body: { code: "APPROVAL_NOT_FOUND" },
  });
});

test("each yes needs the owner's PIN where there is one; a no needs none", async () => {
  const { world, file, ask, look, answer } = await openWorld();
  const [first, second] = [
    await ask("edit", { path: file, ...edit }),
    await ask("read", { path: file }),
  ] as const;
  await new OwnerPin(world.place.home).set("2468");
  const { digest } = (await look(first)).question;
  const yes = { decision: "approve", digest };
  expect(await answer(first, yes)).toMatchObject({ status: 403, body: { code: "PIN_REQUIRED" } });
  expect(await answer(first, { ...yes, pin: "1" })).toMatchObject({
    status: 403,
    body: { code: "PIN_WRONG" },
  });
  expect((await look(first)).question.state).toBe("pending");
  expect((await answer(first, { ...yes, pin: "2468" })).status).toBe(200);
  expect((await answer(second, { decision: "deny" })).status).toBe(200);
});
