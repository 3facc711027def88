import { expect, test } from "vitest";
import { openStore } from "../../../../app/store/open-store.ts";
import { Vocabulary } from "./other-forms.ts";
import { isEnglish } from "./words.ts";

test("a word's other forms are those with another ending, and compounds with it or its parts", () => {
  const vocabulary = new Vocabulary(
    "autoversicherung hafermilch laktoseunvertraglichkeit termin zahnarzt automat parkplatz".split(" "),
  );
  expect(vocabulary.listForms("auto")).toEqual(["autoversicherung", "automat"]);
  expect(vocabulary.listForms("milch")).toEqual(["hafermilch"]);
  expect(vocabulary.listForms("unvertraglichkeiten")).toEqual(["laktoseunvertraglichkeit"]);
  expect(vocabulary.listForms("zahnarzttermin").toSorted()).toEqual(["termin", "zahnarzt"]);
  expect(vocabulary.listForms("park")).toEqual(["parkplatz"]);
  expect(vocabulary.listForms("plan")).toEqual([]);
});

test.each([
  ["Чем кормить кошку?", "Кошка спит на диване"],
  ["Кем я работаю?", "Пользователь работает бухгалтером"],
  ["متى موعد طبيب الاسنان؟", "طبيب الأسنان يوم الاثنين"],
  ["Welche Milch soll ich kaufen?", "Der Nutzer trinkt Hafermilch"],
  ["Quand a-t-on réparé la voiture ?", "La garagiste répare les voitures"],
])("%s finds %s by words alone", async (query, text) => {
  await using store = await openStore({ path: ":memory:" });
  const texts = [text, "Something else", "И ещё одно", "Und noch etwas"];
  await store.memory.edit(
    "ada",
    texts.map((one) => ({ do: "create_block", entry: { kind: "memory", text: one } })),
    { by: "test" },
  );
  const { hits } = await store.memory.search("ada", { query, mode: "words" });
  expect(hits.map(({ entry }) => entry.text)).toEqual([text]);
});

test("a question in English is looked for in its stems alone", async () => {
  expect(isEnglish("What was the war for?")).toBe(true);
  expect(isEnglish("Welche Milch soll ich kaufen?")).toBe(false);
  await using store = await openStore({ path: ":memory:" });
  await store.memory.edit(
    "ada",
    [{ do: "create_block", entry: { kind: "memory", text: "The mangrove is a tree" } }],
    { by: "test" },
  );
  const { hits } = await store.memory.search("ada", { query: "Where is my mango?", mode: "words" });
  expect(hits).toEqual([]);
});
