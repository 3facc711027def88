import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Interrupts } from "../../src/agent/index.ts";
import { Installation } from "../support/installation.ts";
import { useScriptedProvider } from "../support/scripted-provider.ts";

const secret = "s3cr3t-of-ada-4711";

test("a secret that a user pastes or a tool prints is in no request and in no file of the store", async () => {
  const place = new Installation();
  place.write("project/notes.txt", `The key is ${secret}.\n`);
  const { asked } = await useScriptedProvider({ home: place.home.folder }, [
    { text: "I look.", calls: [{ name: "read", input: { path: "notes.txt" } }] },
    // It could have it from elsewhere; what it says is kept and sent without it too.
    { text: `It is ${secret}.`, calls: [{ name: "grep", input: { pattern: secret, path: "." } }] },
    { text: "Done." },
  ]);
  const { app } = await place.open();
  await app.secrets.set("local", "KEY", secret);
  const host = await app.agent();
  const parts = [{ type: "text" as const, text: `My key is ${secret}; is it in my notes?` }];
  const run = await host.begin({ parts, channel: "test" });
  const end = await host.drive(run, { interrupts: new Interrupts(), emit: () => {} });
  expect(end).toMatchObject({ state: "completed" });
  expect(asked).toHaveLength(3);
  const sent = JSON.stringify(asked.map(({ body }) => body));
  expect(sent).not.toContain(secret);
  // The message, the tool's output, the answer and its call.
  const last = JSON.stringify(asked.at(-1)?.body);
  expect(last.match(/\[redacted:KEY\]/g)?.length).toBeGreaterThanOrEqual(4);
  const { sessions } = await app.store();
  const kept = JSON.stringify(await sessions.entries("local", run.sessionId));
  expect(kept.match(/\[redacted:KEY\]/g)?.length).toBeGreaterThanOrEqual(4);
  await app.close();
  const files = readdirSync(place.home.folder, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  expect(files.map(({ name }) => name)).toContain("haft.db");
  for (const { parentPath, name } of files)
    expect(readFileSync(join(parentPath, name)).includes(secret), name).toBe(false);
});

test("a secret in an agent's instructions is in no request, and what another process sends begins as before", async () => {
  const place = new Installation();
  place.write("home/agent/config.md", `---\nid: main\n---\nLog in with ${secret}.\n`);
  const { asked } = await useScriptedProvider({ home: place.home.folder }, [
    { text: "Hello." },
    { text: "Done." },
  ]);
  let sessionId: string | undefined;
  for (const text of ["Hello?", "Go on."]) {
    const { app } = await place.open();
    await app.secrets.set("local", "KEY", secret);
    const host = await app.agent();
    const parts = [{ type: "text" as const, text }];
    const run = await host.begin({
      parts,
      channel: "test",
      ...(sessionId !== undefined && { sessionId }),
    });
    ({ sessionId } = run);
    await host.drive(run, { interrupts: new Interrupts(), emit: () => {} });
    await app.close();
  }
  const [first, second] = asked.map(({ body }) => JSON.stringify(body["messages"]));
  expect(first).toContain("Log in with [redacted:KEY].");
  expect(second?.startsWith(first?.slice(0, -1) as string)).toBe(true);
  expect(second).not.toContain(secret);
  expect(second).not.toContain("instructions were changed");
});
