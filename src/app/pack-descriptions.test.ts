import { expect, test } from "vitest";
import { knownPacks } from "../kernel/index.ts";
import { splitTerms } from "../search/tools/words.ts";
import catalogue from "./catalogue.json" with { type: "json" };
import { families } from "./own-tools.ts";

type Described = Readonly<Record<"name" | "description", string>>;
const shipped = knownPacks.filter(({ name }) => families.some(({ pack }) => pack === name));

test.for(shipped)("The description of the pack $name speaks only of what its tools do", (pack) => {
  const tools = families
    .filter((family) => family.pack === pack.name)
    .flatMap(({ name }): readonly Described[] => catalogue[name as keyof typeof catalogue]);
  const said = new Set(tools.flatMap(({ name, description }) => splitTerms(`${name} ${description}`)));
  expect(splitTerms(pack.description).filter((term) => !said.has(term))).toEqual([]);
});

test("Every pack that is shipped has a description", () => {
  expect(shipped.map(({ name }) => name).sort()).toEqual(
    [...new Set(families.map(({ pack }) => pack))].sort(),
  );
});
