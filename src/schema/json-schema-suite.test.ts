import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonSchema, Validation } from "../kernel/index.ts";
import { compileJsonSchema } from "./compile.ts";
import { SchemaError } from "./errors.ts";

// JSON-Schema-Test-Suite, draft 2020-12, the required cases (MIT, see the LICENSE beside them).
const corpus = new URL("../../test/corpora/json-schema-2020-12/", import.meta.url);

interface Group {
  readonly description: string;
  readonly schema: JsonSchema | boolean;
  readonly tests: readonly { readonly data: unknown; readonly valid: boolean }[];
}

/** Cases that come out otherwise than the suite says, by the group they are in, and why. */
const expected = {
  "formats are checked, where the suite takes them for remarks": {
    "format.json: email format": 1,
    "format.json: regex format": 1,
    "format.json: ipv4 format": 1,
    "format.json: ipv6 format": 1,
    "format.json: hostname format": 1,
    "format.json: date format": 1,
    "format.json: date-time format": 1,
    "format.json: time format": 1,
    "format.json: json-pointer format": 1,
    "format.json: relative-json-pointer format": 1,
    "format.json: uri format": 1,
    "format.json: uri-reference format": 1,
    "format.json: uri-template format": 1,
    "format.json: uuid format": 1,
    "format.json: duration format": 1,
  },
  "schemas elsewhere are not fetched": {
    "dynamicRef.json: strict-tree schema, guards against misspelled properties": 2,
    "dynamicRef.json: tests for implementation dynamic anchor and reference link": 3,
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $defs first": 3,
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $ref first": 3,
    "dynamicRef.json: $ref to $dynamicRef finds detached $dynamicAnchor": 2,
    "refRemote.json: remote ref": 2,
    "refRemote.json: fragment within remote ref": 2,
    "refRemote.json: anchor within remote ref": 2,
    "refRemote.json: ref within remote ref": 2,
    "refRemote.json: base URI change": 2,
    "refRemote.json: base URI change - change folder": 2,
    "refRemote.json: base URI change - change folder in subschema": 2,
    "refRemote.json: root ref in remote ref": 3,
    "refRemote.json: remote ref with ref to defs": 2,
    "refRemote.json: Location-independent identifier in remote ref": 2,
    "refRemote.json: retrieved nested refs resolve relative to their URI not $id": 2,
    "refRemote.json: remote HTTP ref with different $id": 2,
    "refRemote.json: remote HTTP ref with different URN $id": 2,
    "refRemote.json: remote HTTP ref with nested absolute ref": 2,
    "refRemote.json: $ref to $ref finds detached $anchor": 2,
    "vocabulary.json: schema that uses custom metaschema with with no validation vocabulary": 3,
    "vocabulary.json: ignore unrecognized optional vocabulary": 2,
  },
  "Ajv follows $dynamicRef by name, not by scope": {
    "dynamicRef.json: A $dynamicRef to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor": 1,
    "dynamicRef.json: A $dynamicRef to an $anchor in the same schema resource behaves like a normal $ref to an $anchor": 1,
    "dynamicRef.json: A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated": 1,
    "dynamicRef.json: A $dynamicRef without anchor in fragment behaves identical to $ref": 1,
    "dynamicRef.json: A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution": 1,
    "dynamicRef.json: An $anchor with the same name as a $dynamicAnchor is not used for dynamic scope resolution": 1,
    "dynamicRef.json: A $dynamicRef without a matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor": 1,
    "dynamicRef.json: A $dynamicRef with a non-matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor": 1,
    "dynamicRef.json: A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope": 2,
    "dynamicRef.json: A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor": 1,
    "dynamicRef.json: multiple dynamic paths to the $dynamicRef keyword": 2,
    "dynamicRef.json: after leaving a dynamic scope, it is not used by a $dynamicRef": 3,
    "dynamicRef.json: $dynamicRef points to a boolean schema": 1,
    "dynamicRef.json: $dynamicRef skips over intermediate resources - direct reference": 1,
    "dynamicRef.json: $dynamicRef avoids the root of each schema, but scopes are still registered": 2,
    "unevaluatedItems.json: unevaluatedItems with $dynamicRef": 2,
    "unevaluatedProperties.json: unevaluatedProperties with $dynamicRef": 2,
  },
  "Ajv runs in a circle over relative ids that name each other": {
    "ref.json: refs with relative uris and defs": 3,
    "ref.json: relative refs with absolute uris and defs": 3,
    "ref.json: URN ref with nested pointer ref": 2,
  },
  "Ajv does not count what contains, if and nested items have looked at": {
    "unevaluatedItems.json: unevaluatedItems with nested items": 2,
    "unevaluatedItems.json: unevaluatedItems depends on adjacent contains": 1,
    "unevaluatedItems.json: unevaluatedItems depends on multiple nested contains": 1,
    "unevaluatedItems.json: unevaluatedItems and contains interact to control item dependency relationship": 4,
    "unevaluatedItems.json: unevaluatedItems with minContains = 0": 1,
    "unevaluatedItems.json: unevaluatedItems can see annotations from if without then and else": 1,
    "unevaluatedProperties.json: unevaluatedProperties with if/then/else, then not defined": 2,
    "unevaluatedProperties.json: unevaluatedProperties can see annotations from if without then and else": 1,
  },
  "an empty enum is refused: no value could ever fit": { "enum.json: empty enum": 6 },
  "Ajv passes over a property named __proto__": {
    "properties.json: properties whose names are Javascript object property names": 1,
  },
} as const;

test("compileJsonSchema() agrees with the JSON Schema test suite but where it says why not", async () => {
  let passed = 0;
  const failed: Record<string, number> = {};
  for (const file of readdirSync(corpus).filter((name) => name.endsWith(".json"))) {
    const groups = JSON.parse(readFileSync(new URL(file, corpus), "utf8")) as Group[];
    for (const group of groups) {
      const outcomes = await Promise.all(group.tests.map((one) => isValid(group.schema, one.data)));
      const wrong = group.tests.filter(({ valid }, index) => outcomes[index] !== valid).length;
      passed += group.tests.length - wrong;
      if (wrong > 0) failed[`${file}: ${group.description}`] = wrong;
    }
  }
  expect(failed).toEqual(Object.assign({}, ...Object.values(expected)));
  expect(passed).toBe(1_183);
  expect(passed + Object.values(failed).reduce((sum, count) => sum + count, 0)).toBe(1_299);
});

/** Undefined where the schema is refused. */
async function isValid(schema: JsonSchema | boolean, data: unknown): Promise<boolean | undefined> {
  try {
    const validate = compileJsonSchema(typeof schema === "boolean" ? { allOf: [schema] } : schema);
    const { valid }: Validation = await validate(data);
    return valid;
  } catch (error) {
    expect(error).toBeInstanceOf(SchemaError);
    return undefined;
  }
}
