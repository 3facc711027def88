import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonSchema } from "../base/index.ts";
import { isRecord } from "../base/index.ts";
import { type LLMTarget } from "../kernel/registry/tool-formats.ts";
import { toTargetTool } from "./targets.ts";

type ModelTarget = Exclude<LLMTarget, "mcp">;
const targets: readonly ModelTarget[] = ["openai", "openai-strict", "anthropic", "gemini"];

/** A schema, a value that fits it, and that value as a model would write it for each target. */
interface Sample {
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly written: (target: ModelTarget) => unknown;
}

const same = (schema: JsonSchema, value: unknown): Sample => ({ schema, value, written: () => value });
const sendsText = (target: ModelTarget) => target === "openai-strict" || target === "gemini";
const asText = (schema: JsonSchema, value: unknown): Sample => ({
  schema,
  value,
  written: (target) => (sendsText(target) ? JSON.stringify(value) : value),
});

const words = fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 5 });
const leaves: readonly fc.Arbitrary<Sample>[] = [
  words.map((value) => same({ type: "string" }, value)),
  fc.integer().map((value) => same({ type: "integer" }, value)),
  fc.constantFrom(0.5, 1.25, -3).map((value) => same({ type: "number" }, value)),
  fc.boolean().map((value) => same({ type: "boolean" }, value)),
  fc.constantFrom("x", "y").map((value) => same({ enum: ["x", "y"] }, value)),
  fc.constantFrom("k", 7).map((value) => same({ const: value }, value)),
  fc.constantFrom("x", null).map((value) => same({ type: ["string", "null"] }, value)),
  fc.constantFrom("x", 3).map((value) => same({ type: ["string", "integer"] }, value)),
];
const anything: fc.Arbitrary<Sample> = fc
  .constantFrom<unknown[]>(null, 3, [], {}, { a: [1] }, "plain", true)
  .map((value) => asText({ description: "Anything" }, value));
const maps: fc.Arbitrary<Sample> = fc
  .dictionary(fc.constantFrom("m", "n", "o"), fc.integer({ min: 1, max: 9 }))
  .map((value) => asText({ type: "object", additionalProperties: { type: "integer" } }, value));

function samples(depth: number): fc.Arbitrary<Sample> {
  const plain = fc.oneof(...leaves, anything, maps);
  if (depth === 0) return plain;
  return fc.oneof(
    { weight: 2, arbitrary: plain },
    makeArrays(samples(depth - 1)),
    makeObjects(samples(depth - 1)),
    makeKinds(samples(depth - 1)),
    textOrMap,
    samples(depth - 1).map(nestInAll),
  );
}

const textOrMap: fc.Arbitrary<Sample> = fc.tuple(words, maps, fc.boolean()).map(([text, map, isText]) => ({
  schema: { anyOf: [{ type: "string" }, map.schema] },
  value: isText ? text : map.value,
  written: (target) => (isText ? text : map.written(target)),
}));

function nestInAll(sample: Sample): Sample {
  return { ...sample, schema: { description: "The same", allOf: [sample.schema] } };
}

function makeArrays(items: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.tuple(items, fc.nat(2)).map(([item, length]) => ({
    schema: { type: "array", items: item.schema },
    value: Array.from({ length }, () => item.value),
    written: (target) => Array.from({ length }, () => item.written(target)),
  }));
}

const keys = ["a", "b", "filter[x]", "the key"] as const;

function makeObjects(parts: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  const entry = fc.record({ part: parts, isRequired: fc.boolean(), isGiven: fc.boolean() });
  return fc.tuple(fc.tuple(entry, entry, entry, entry), fc.boolean()).map(([entries, isClosed]) => {
    const named = keys.map((key, index) => ({ key, ...(entries[index] as (typeof entries)[0]) }));
    const given = named.filter(({ isRequired, isGiven }) => isRequired || isGiven);
    return {
      schema: {
        type: "object",
        properties: Object.fromEntries(named.map(({ key, part }) => [key, part.schema])),
        required: named.filter(({ isRequired }) => isRequired).map(({ key }) => key),
        ...(isClosed && { additionalProperties: false }),
      },
      value: Object.fromEntries(given.map(({ key, part }) => [key, part.value])),
      written: (target) => {
        const absent = target === "openai-strict" ? named.filter((one) => !given.includes(one)) : [];
        return Object.fromEntries([
          ...given.map(({ key, part }) => [nameIn(target, key), part.written(target)]),
          ...absent.map(({ key }) => [nameIn(target, key), null]),
        ]);
      },
    };
  });
}

function nameIn(target: ModelTarget, key: string): string {
  const isRenamed = target === "anthropic" || target === "gemini";
  return isRenamed ? key.replace("filter[x]", "filter_x_").replace("the key", "the_key") : key;
}

/** A union told apart by its key `kind`. */
function makeKinds(parts: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.tuple(parts, parts, fc.boolean()).map(([first, second, isFirst]) => {
    const branch = (kind: string, key: string, part: Sample) => ({
      type: "object",
      properties: { kind: { const: kind }, [key]: part.schema },
      required: ["kind", key],
      additionalProperties: false,
    });
    const [kind, key, chosen] = isFirst ? (["one", "p", first] as const) : (["two", "q", second] as const);
    return {
      schema: { oneOf: [branch("one", "p", first), branch("two", "q", second)] },
      value: { kind, [key]: chosen.value },
      written: (target) => ({ kind, [key]: chosen.written(target) }),
    };
  });
}

const parameters = fc.oneof(makeObjects(samples(2)), makeKinds(samples(2)));

/** The model gives every key of a united root. */
function complete(schema: JsonSchema, written: unknown): unknown {
  const names = Object.keys((schema["properties"] ?? {}) as object);
  const given = written as Record<string, unknown>;
  return Object.fromEntries(names.map((name) => [name, Object.hasOwn(given, name) ? given[name] : null]));
}

test.each(targets)("toTargetTool() for %s gives back what the model wrote as the tool takes it", (target) => {
  fc.assert(
    fc.property(parameters, ({ schema, value, written }) => {
      const { definition, restore } = toTargetTool(
        { name: "t", description: "T.", annotations: {} },
        schema,
        target,
      );
      const rewritten = readParameters(definition);
      const given = target === "openai-strict" ? complete(rewritten, written(target)) : written(target);
      expect(isValid(rewritten, given), JSON.stringify({ rewritten, given })).toBe(true);
      const restored = restore === undefined ? given : restore(given);
      expect(isValid(schema, restored), JSON.stringify({ schema, rewritten, given, restored })).toBe(true);
      expect(withoutNulls(restored)).toEqual(withoutNulls(value));
    }),
    { numRuns: 150 },
  );
});

const ajv = new Ajv2020({ strict: false, validateSchema: false });

function isValid(schema: JsonSchema, value: unknown): boolean {
  try {
    return ajv.validate(schema, value);
  } finally {
    ajv.removeSchema(schema);
  }
}

function readParameters(definition: object): JsonSchema {
  if ("function" in definition) return (definition.function as { parameters: JsonSchema }).parameters;
  if ("input_schema" in definition) return definition.input_schema as JsonSchema;
  return "parameters" in definition ? (definition.parameters as JsonSchema) : { type: "object" };
}

/** A key that may be null or left out says the same either way. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(entries.map(([key, part]) => [key, withoutNulls(part)]));
}
