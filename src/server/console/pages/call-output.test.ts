import { expect, test } from "vitest";
import { ConsoleWorld } from "../../../../test/support/console-world.ts";
import { defineTool } from "../../../kernel/index.ts";
import type { CallOutput } from "../api/index.ts";
import { SavedFile } from "../saved-file.ts";

const secret = "sk-live-0123456789abcdef";

/** A console whose ledger has a call of a tool that said `output`. */
async function openWorld(output: string) {
  const world = await ConsoleWorld.open();
  world.opened.app.registry.register(
    defineTool({
      name: "say_much",
      description: "Says much.",
      category: "test",
      parameters: { type: "object", properties: {}, additionalProperties: false },
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      execute: () => output,
    }),
  );
  const { callId } = await world.opened.call("say_much", {});
  const token = await world.openSession();
  return { world, token, callId };
}

test("a long output is read in parts, and none of it is missing", async () => {
  const output = `${"<img src=x onerror=alert(1)>\n".repeat(6000)}the end`;
  const { world, token, callId } = await openWorld(output);
  let read = "";
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const path = `/calls/${callId}/output?offset=${offset}`;
    const { body } = await world.ask("GET", path, { token });
    const { id, text, before, after, ...rest } = body as CallOutput;
    expect(rest).toMatchObject({
      bytes: output.length,
      trust: "trusted",
      offset: read.length,
      totalChars: output.length,
      command: `haft call artifact_read -a id=${id}`,
    });
    expect(before).toBe(read === "" ? undefined : read.length - 20_000);
    read += text;
    offset = after;
  }
  expect(read).toBe(output);
  for (const query of ["offset=-1", "offset=9999999", "offset=x"])
    expect(await world.ask("GET", `/calls/${callId}/output?${query}`, { token })).toMatchObject({
      status: 400,
      body: { code: "CONSOLE_INPUT" },
    });
});

test("an output is saved whole, as a file that no browser shows and no name of a page", async () => {
  const output = `<script>alert(1)</script>${"a line\n".repeat(30_000)}`;
  const { world, token, callId } = await openWorld(output);
  const { status, headers, text } = await world.ask("GET", `/calls/${callId}/output/file`, { token });
  expect(status).toBe(200);
  expect(text).toBe(output);
  expect(headers).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": expect.stringMatching(/^attachment; filename="a_\w+\.txt"$/),
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
  });
});

test("what became a secret after it was said is in no part of an output, nor in its file", async () => {
  const { world, token, callId } = await openWorld(`${secret}\n${"a line\n".repeat(30_000)}`);
  await world.opened.app.secrets.set("local", "KEY", secret);
  for (const path of ["output", "output/file"]) {
    const { status, text } = await world.ask("GET", `/calls/${callId}/${path}`, { token });
    expect(status).toBe(200);
    expect(text).not.toContain(secret);
  }
});

test("a call without a kept output says so, and one whose output is gone, too", async () => {
  const { world, token, callId } = await openWorld("x".repeat(200_000));
  const short = await world.opened.call("glob", { pattern: "a" });
  const { artifacts } = await world.opened.app.store();
  await artifacts.removeOutputs(callId);
  for (const [id, why] of [
    [short.callId, "the record has all of its result"],
    [callId, "it was erased, or made room for newer ones"],
    ["c_unknown", "`haft audit` lists them"],
  ])
    for (const path of ["output", "output/file"])
      expect(await world.ask("GET", `/calls/${id}/${path}`, { token })).toMatchObject({
        status: 404,
        body: { code: "CONSOLE_NOT_FOUND", error: expect.stringContaining(why ?? "") },
      });
});

test.each(['a"; filename="b.html', "a\r\nx: y", "../a.txt", ".profile", ""])(
  "a file named %j is never sent",
  (name) => {
    expect(() => new SavedFile(name, new Uint8Array())).toThrow(TypeError);
  },
);
