import fc from "fast-check";
import { expect, test } from "vitest";
import { openStore } from "../../../../../app/store/open-store.ts";
import { foldName, SaidNames } from "./names.ts";

const byText = (one: string, other: string) => one.localeCompare(other);
const letter = fc.constantFrom(...Array.from("abcdefghij"));
const word = (min: number) =>
  fc.array(letter, { minLength: min, maxLength: min + 4 }).map((letters) => letters.join(""));

/** A slip after the first letter: one more, one less, another, or two in the wrong order. */
const slip = fc.tuple(fc.nat(), fc.constantFrom("more", "less", "other", "order"));
const slipped = (name: string, [nat, kind]: [number, string]) => {
  const at = 1 + (nat % (name.length - 2));
  const [head, tail] = [name.slice(0, at), name.slice(at)];
  if (kind === "more") return `${head}z${tail}`;
  if (kind === "less") return head + tail.slice(1);
  if (kind === "other") return `${head}z${tail.slice(1)}`;
  return `${head}${tail[1]}${tail[0]}${tail.slice(2)}`;
};

function saysNearly(query: string, name: string): boolean {
  const said = new SaidNames(query);
  return said.says(name) || said.listSlips(name).length > 0;
}

test("a name is known with one slip in a word of five letters or more, and never with another first letter", () => {
  fc.assert(
    fc.property(word(6), word(6), slip, (first, second, pen) => {
      expect(saysNearly(slipped(first, pen), first)).toBe(true);
      expect(saysNearly(`${slipped(first, pen)} ${second}`, `${first} ${second}`)).toBe(true);
      expect(saysNearly(`x${first.slice(1)}`, first)).toBe(false);
      expect(saysNearly(`${slipped(first, pen)} x${second}`, `${first} ${second}`)).toBe(false);
    }),
  );
  expect(saysNearly("noel", "nole")).toBe(false);
});

test("mode names finds each entry whose name the query says, with a slip or without, and no others", async () => {
  await using store = await openStore({ path: ":memory:" });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.array(word(3), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 8,
        selector: (words) => words.join(" "),
      }),
      fc.array(word(3), { maxLength: 4 }),
      fc.nat(),
      fc.option(slip),
      async (names, others, which, pen) => {
        const scope = `run-${run++}`;
        await store.memory.edit(
          scope,
          names.map((words) => ({
            do: "create_block",
            entry: { kind: "memory", text: "…", names: [words.join(" ")] },
          })),
          { by: "test" },
        );
        const said = [...(names[which % names.length] ?? [])];
        if (pen !== null && (said[0]?.length ?? 0) > 5) said[0] = slipped(said[0] ?? "", pen);
        const query = [...others, ...said, ...others].join(" ");
        const found = await store.memory.search(scope, { query, mode: "names", limit: 100 });
        const expected = names
          .map((words) => foldName(words.join(" ")))
          .filter((name) => saysNearly(query, name));
        const named = found.hits.map(({ entry }) => String(entry.names[0]));
        expect(named.toSorted(byText)).toEqual(expected.toSorted(byText));
        expect(expected.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 60 },
  );
});

test("mode names takes a word that the scope knows for what it says, not for a slip", async () => {
  await using store = await openStore({ path: ":memory:" });
  const named = { kind: "memory", text: "A colleague", names: ["Marion"] };
  await store.memory.edit("ada", [{ do: "create_block", entry: named }], { by: "test" });
  const found = async () =>
    (await store.memory.search("ada", { query: "what of the marino?", mode: "names" })).hits.length;
  expect(await found()).toBe(1);
  const boat = { kind: "memory", text: "Marino is the boat" };
  await store.memory.edit("ada", [{ do: "create_block", entry: boat }], { by: "test" });
  expect(await found()).toBe(0);
});

test("mode names takes a slip for one where it has the stem of the very name", async () => {
  await using store = await openStore({ path: ":memory:" });
  const named = (name: string) => ({ kind: "memory", text: "…", names: [name] });
  const entries = [named("bcacee aaa"), named("aaa"), named("Lindgrens")];
  await store.memory.edit(
    "ada",
    entries.map((entry) => ({ do: "create_block" as const, entry })),
    { by: "test" },
  );
  const found = async (query: string) =>
    (await store.memory.search("ada", { query, mode: "names" })).hits.map(({ entry }) => entry.names[0]);
  expect(new Set(await found("bcace aaa"))).toEqual(new Set(["aaa", "bcacee aaa"]));
  expect(await found("what of Lindgren?")).toEqual(["Lindgrens"]);
});

test("mode names passes over what another scope names, and what is superseded, unless that is asked for", async () => {
  await using store = await openStore({ path: ":memory:" });
  const block = (text: string) => ({
    do: "create_block" as const,
    entry: { kind: "memory", text, names: ["Postgres"] },
  });
  const [old] = await store.memory.edit("ada", [block("old"), block("new")], { by: "test" });
  await store.memory.edit(
    "ada",
    [
      { do: "create_block", entry: { kind: "memory", text: "newest" } },
      { do: "set_block_facts", id: old?.id ?? "", facts: { supersededBy: "#0" } },
    ],
    { by: "test" },
  );
  await store.memory.edit("grace", [block("hers")], { by: "test" });
  const texts = async (filter: object) =>
    (await store.memory.search("ada", { query: "our postgers", mode: "names", ...filter })).hits.map(
      ({ entry }) => entry.text,
    );
  expect(await texts({})).toEqual(["new"]);
  expect((await texts({ with: ["superseded"] })).toSorted()).toEqual(["new", "old"]);
});
