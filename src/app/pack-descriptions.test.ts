import { expect, test } from "vitest";
import { knownPacks } from "../kernel/index.ts";
import { splitTerms } from "../search/tools/words.ts";
import catalogue from "./catalogue.json" with { type: "json" };
import { packOfFamily } from "./profile-tools.ts";

type Described = Readonly<Record<"name" | "description", string>>;
const families = Object.keys(packOfFamily) as (keyof typeof packOfFamily)[];
const shipped = knownPacks.filter(({ name }) => families.some((family) => packOfFamily[family] === name));

test.for(shipped)("The description of the pack $name speaks only of what its tools do", (pack) => {
  const tools = families
    .filter((family) => packOfFamily[family] === pack.name)
    .flatMap((family): readonly Described[] => catalogue[family]);
  const said = new Set(tools.flatMap(({ name, description }) => splitTerms(`${name} ${description}`)));
  expect(splitTerms(pack.description).filter((term) => !said.has(term))).toEqual([]);
});

test("Every pack that is shipped has a description", () => {
  expect(shipped.map(({ name }) => name).sort()).toEqual([...new Set(Object.values(packOfFamily))].sort());
});
