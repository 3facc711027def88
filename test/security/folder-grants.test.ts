import { expect, test } from "vitest";
import type { Approval, Approver } from "../../src/kernel/index.ts";
import { Installation } from "../support/installation.ts";

/** Says yes to everything, for the session and as widely as it is offered. */
function generous(): Approver & { readonly asked: Approval[] } {
  const asked: Approval[] = [];
  return {
    identity: "owner:ada",
    asked,
    ask: async (approval) => {
      asked.push(approval);
      const offer = approval.offers.find(({ id }) => id === "wider") ?? approval.offers[0];
      return {
        approved: true,
        by: "owner:ada",
        ...(offer !== undefined && { remember: { offer: offer.id, term: "session" } }),
      };
    },
  };
}

const secrets = [".env", "keys/id_rsa", ".npmrc", "deploy/server.pem"];

test("a grant for a folder covers what is in it, and none of the secrets there", async () => {
  const place = new Installation();
  for (const name of ["a.txt", "b.txt", ...secrets]) place.write(`data/${name}`, "text");
  const open = await place.open();
  const approver = generous();
  const read = (name: string) => open.call("read", { path: `${place.root}/data/${name}` }, { approver });
  expect(await read("a.txt")).toMatchObject({ success: true });
  expect(approver.asked[0]?.offers.find(({ id }) => id === "wider")?.label).toContain(
    "except files that may hold secrets",
  );
  expect(await read("b.txt")).toMatchObject({ success: true });
  expect(approver.asked).toHaveLength(1);
  for (const [at, name] of secrets.entries()) {
    await read(name);
    expect([name, approver.asked.length]).toEqual([name, at + 2]);
    // Nor is it the other way around: a yes to a secret stands for that call.
    expect(approver.asked.at(-1)?.offers.map(({ id }) => id)).toEqual(["exact"]);
  }
});

test("a grant to change a folder covers none of the files there that programs run by themselves", async () => {
  const place = new Installation();
  place.write("data/a.txt", "text");
  const open = await place.open();
  const approver = generous();
  const write = (name: string) =>
    open.call("write", { path: `${place.root}/data/${name}`, content: name }, { approver });
  expect(await write("b.txt")).toMatchObject({ success: true });
  expect(await write("c.txt")).toMatchObject({ success: true });
  expect(approver.asked).toHaveLength(1);
  const guarded = [".bashrc", ".git/hooks/pre-commit", ".vscode/tasks.json", "opencode.json", ".env"];
  for (const [at, name] of guarded.entries()) {
    await write(name);
    expect([name, approver.asked.length]).toEqual([name, at + 2]);
  }
});

test("a grant for a folder is none for a command that reads all in it", async () => {
  const place = new Installation();
  for (const name of ["a.txt", "id_rsa"]) place.write(`data/${name}`, "text");
  const open = await place.open("sandbox: { atLeast: none }");
  const approver = generous();
  const folder = `${place.root}/data`;
  await open.call("read", { path: `${folder}/a.txt` }, { approver });
  await open.call("bash", { command: `cat ${folder}/a.txt` }, { approver });
  const before = approver.asked.length;
  await open.call("bash", { command: `grep -r KEY ${folder}` }, { approver });
  expect(approver.asked.length).toBe(before + 1);
  expect(approver.asked.at(-1)?.offers.map(({ id }) => id)).not.toContain("wider");
});
