import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../../app/store/index.ts";
import { createFakeClock } from "../../../testing/index.ts";
import type { KeptDefinition } from "./definitions.ts";

const github = "mcp:github";

async function createDefinitions() {
  const clock = createFakeClock(1_000_000);
  const store = await openStore({ path: ":memory:", clock });
  const { definitions } = store;
  const see = (offered: Readonly<Record<string, string>>) =>
    definitions.see(
      "local",
      github,
      Object.entries(offered).map(([name, text]) => ({ name, text })),
    );
  return { store, clock, definitions, see, [Symbol.asyncDispose]: () => store.close() };
}

function brief(kept: readonly KeptDefinition[]): string[] {
  return kept.map(
    ({ name, accepted, offered }) => `${name}: ${accepted?.text ?? "-"} | ${offered?.text ?? "-"}`,
  );
}

test("Definitions.see() accepts what it sees of a source first, and keeps back what is new or other later", async () => {
  await using given = await createDefinitions();
  expect(brief(await given.see({ get: "A", put: "B" }))).toEqual(["get: A | -", "put: B | -"]);
  expect(brief(await given.see({ get: "A", put: "B2", new: "C" }))).toEqual([
    "get: A | -",
    "new: - | C",
    "put: B | B2",
  ]);
});

test("Definitions.see() forgets an offer that is taken back, and keeps what is gone", async () => {
  await using given = await createDefinitions();
  await given.see({ get: "A", put: "B" });
  await given.see({ get: "A2" });
  await given.clock.advance(7_200_000);
  const [get, put] = await given.see({ get: "A" });
  expect(get).toMatchObject({ accepted: { text: "A", by: "first use" }, seenAt: 8_200_000 });
  expect(get?.offered).toBeUndefined();
  expect(put).toMatchObject({ accepted: { text: "B" }, seenAt: 1_000_000, goneAt: 1_000_000 });
  const [, back] = await given.see({ get: "A", put: "B" });
  expect(back).toEqual({
    source: github,
    name: "put",
    accepted: { text: "B", at: 1_000_000, by: "first use" },
    seenAt: 8_200_000,
  });
});

test("Definitions.accept() takes only what was looked at, if it is offered still", async () => {
  await using given = await createDefinitions();
  await given.see({ get: "A" });
  await given.see({ get: "A2", put: "B" });
  const looked = [
    { name: "get", text: "A2" },
    { name: "put", text: "B" },
    { name: "none", text: "X" },
  ];
  await given.see({ get: "A3", put: "B" });
  expect(await given.definitions.accept("local", github, looked, "ada")).toEqual(["put"]);
  expect(brief(await given.definitions.list("local", github))).toEqual(["get: A | A3", "put: B | -"]);
  expect((await given.definitions.list("local"))[1]?.accepted).toEqual({
    text: "B",
    at: 1_000_000,
    by: "ada",
  });
});

test("Definitions keep scopes and sources apart", async () => {
  await using given = await createDefinitions();
  await given.see({ get: "A" });
  const { definitions } = given;
  await definitions.see("other", github, [{ name: "get", text: "B" }]);
  await definitions.see("local", "mcp:files", [{ name: "get", text: "C" }]);
  await definitions.forget("local", github);
  expect(brief(await definitions.list("local"))).toEqual(["get: C | -"]);
  expect(brief(await definitions.list("other"))).toEqual(["get: B | -"]);
  expect(brief(await given.see({ get: "D" }))).toEqual(["get: D | -"]);
});

test("Definitions.see() writes nothing for what it has seen within the hour, and one statement for all of it later", async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-definitions-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "haft.db");
  const clock = createFakeClock(1_000_000);
  await using store = await openStore({ path, clock });
  using other = new DatabaseSync(path);
  const version = () => other.prepare("pragma data_version").get()?.["data_version"];
  const offered = Array.from({ length: 100 }, (_, at) => ({ name: `t_${at}`, text: `{"n":${at}}` }));
  const see = (those = offered) => store.definitions.see("local", github, those);
  await see();
  const first = await see();
  const before = version();
  expect(await see(offered.toReversed())).toEqual(first);
  expect(version()).toBe(before);

  await clock.advance(3_600_000);
  other.exec("create table seen (name text)");
  other.exec(
    "create trigger seen after update on tool_definition begin insert into seen values (new.name); end",
  );
  const renewed = await see();
  expect(renewed).toEqual(first.map((one) => ({ ...one, seenAt: 4_600_000 })));
  expect(renewed).toEqual(await store.definitions.list("local", github));
  expect(other.prepare("select count(*) as n, count(distinct name) as names from seen").get()).toEqual({
    n: 100,
    names: 100,
  });
  const some = await see(offered.slice(1).map((one, at) => (at === 0 ? { ...one, text: "{}" } : one)));
  expect(some).toEqual(await store.definitions.list("local", github));
  expect(other.prepare("select count(*) as n from seen").get()).toEqual({ n: 102 });
});

test("Definitions.see() takes 10,000 tools", async () => {
  await using given = await createDefinitions();
  const many = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`tool_${index}`, `{"n":${index}}`]),
  );
  expect(await given.see(many)).toHaveLength(10_000);
  expect(await given.see({ ...many, tool_0: "other" })).toHaveLength(10_000);
});

test("HookRunLog adds up the runs of a hook, and keeps its last error", async () => {
  await using store = await openStore({ path: ":memory:" });
  const { hookRuns } = store;
  const once = { hook: "guard", runs: 2, blocks: 1, errors: 0, totalMs: 30, lastRunAt: 5 };
  await hookRuns.add("local", [once, { ...once, hook: "audit" }]);
  await hookRuns.add("local", [{ ...once, runs: 1, errors: 1, lastRunAt: 9, lastError: "broken" }]);
  await hookRuns.add("local", [{ ...once, lastRunAt: 11 }]);
  await hookRuns.add("other", [once]);
  expect(await hookRuns.list("local")).toEqual([
    { hook: "audit", runs: 2, blocks: 1, errors: 0, meanMs: 15, lastRunAt: 5 },
    { hook: "guard", runs: 5, blocks: 3, errors: 1, meanMs: 18, lastRunAt: 11, lastError: "broken" },
  ]);
});
