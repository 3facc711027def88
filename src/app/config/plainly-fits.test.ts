import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { isRecord } from "../../base/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import { configSchema } from "./config-schema.ts";
import { plainlyFits } from "./plainly-fits.ts";

// JSON-Schema-Test-Suite, draft 2020-12, the required cases (MIT, see the LICENSE beside them).
const corpus = new URL("../../../test/corpora/json-schema-2020-12/", import.meta.url);

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly data: unknown; readonly valid: boolean }[];
}

test("what plainly fits a schema of the JSON Schema test suite is valid by the suite", () => {
  const fitting = readdirSync(corpus)
    .filter((name) => name.endsWith(".json"))
    .flatMap((file) => JSON.parse(readFileSync(new URL(file, corpus), "utf8")) as Group[])
    .flatMap(({ description, schema, tests }) =>
      tests
        .filter(({ data }) => plainlyFits(schema, data))
        .map(({ data, valid }) => ({ description, data, valid })),
    );
  expect(fitting.filter(({ valid }) => !valid)).toEqual([]);
  expect(fitting.length).toBeGreaterThan(200);
});

const guide = readFileSync("docs/guide/configuration.md", "utf8");
const written: unknown = parse(/```yaml\n([\s\S]*?)```/.exec(guide)?.[1] as string);

test("the configuration of the guide, and an empty one, plainly fit", () => {
  expect(plainlyFits(configSchema, written)).toBe(true);
  expect(plainlyFits(configSchema, {})).toBe(true);
});

test.for([
  [{ enum: [{ a: 1 }] }, { a: 1 }],
  [{ not: { type: "string" } }, 1],
  [{ minimum: 0 }, Number.NaN],
  [{ type: "object", unheardOf: true }, {}],
  ["no schema", 1],
] as const)("%j does not tell plainly whether %j fits", ([schema, value]) => {
  expect(plainlyFits(schema, value)).toBe(false);
});

test("a configuration with anything in any place plainly fits only where Ajv says that it is valid", () => {
  const check = compileJsonSchema(configSchema);
  const places = listPlaces(written);
  const anything = fc.oneof(
    fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text) as unknown),
    fc.constantFrom(...places.map((path) => readPlace(written, path))),
  );
  let fitting = 0;
  fc.assert(
    fc.property(fc.constantFrom(...places), anything, fc.string(), (path, value, key) => {
      const changed = structuredClone(written);
      const parent = readPlace(changed, path.slice(0, -1));
      if (isRecord(parent) || Array.isArray(parent)) Object.assign(parent, { [path.at(-1) ?? key]: value });
      if (!plainlyFits(configSchema, changed)) return;
      fitting++;
      expect(check(changed)).toMatchObject({ valid: true });
    }),
    { numRuns: 2_000 },
  );
  expect(fitting).toBeGreaterThan(100);
});

type Path = readonly (string | number)[];

function listPlaces(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value))
    return value.flatMap((item, at) => [[...path, at], ...listPlaces(item, [...path, at])]);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    [...path, key],
    ...listPlaces(item, [...path, key]),
  ]);
}

function readPlace(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, key) => (part as Record<string | number, unknown>)[key], value);
}
