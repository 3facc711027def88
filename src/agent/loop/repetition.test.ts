import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, isRecord } from "../../base/index.ts";
import { differInValue } from "./repetition.ts";

const anyText = fc.constantFrom("", "a", "ab", 'a"b', "a\\", ':"', "é");
const anyLeaf = fc.oneof(anyText, anyText, fc.constantFrom(1, 10, -0.5, true, null));
const anyKey = fc.constantFrom("a", "b", ":", 'c"', "d\\");
const anyInner = fc.oneof(anyLeaf, fc.array(anyLeaf, { maxLength: 3 }), fc.dictionary(anyKey, anyLeaf));
const anyArguments = fc.dictionary(anyKey, anyInner, { minKeys: 1, maxKeys: 3 });

/** Writes a value as JSON, in one of its many forms: `choose` is asked at each choice. */
function write(value: unknown, choose: () => boolean): string {
  const gap = () => (choose() ? " " : "");
  if (typeof value === "string") {
    const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
    const plain = (char: string) => JSON.stringify(char).slice(1, -1);
    return `"${Array.from(value, (char) => (choose() && choose() ? escaped(char) : plain(char))).join("")}"`;
  }
  if (value === 10 && choose()) return "1e1";
  if (Array.isArray(value)) return `[${value.map((part) => gap() + write(part, choose)).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const keys = choose() ? Object.keys(value) : Object.keys(value).toReversed();
  const parts = keys.map(
    (key) => `${gap()}${write(key, choose)}${gap()}:${gap()}${write(value[key], choose)}`,
  );
  return `{${parts.join(",")}}`;
}

test("differInValue() never calls two texts different that say the same", () => {
  const anyChoices = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 });
  const chooser = (choices: readonly boolean[]) => {
    let at = 0;
    return () => choices[at++ % choices.length] as boolean;
  };
  let seen = 0;
  fc.assert(
    fc.property(
      fc.tuple(anyText, anyText, anyArguments),
      fc.tuple(anyChoices, fc.option(anyChoices, { freq: 1 })),
      ([text, otherText, rest], [choices, otherChoices]) => {
        const one = { ...rest, a: text };
        const other = { ...rest, a: otherText };
        const texts = [write(one, chooser(choices)), write(other, chooser(otherChoices ?? choices))] as const;
        if (!differInValue(...texts)) return;
        seen++;
        expect(canonicalJson(one)).not.toBe(canonicalJson(other));
      },
    ),
    { numRuns: 5000 },
  );
  expect(seen).toBeGreaterThan(50);
});

test.for([
  ['{"text":"step 17"}', '{"text":"step 18"}', true],
  ['{ "path": "a", "text": "b" }', '{ "path": "a", "text": "bc" }', true],
  ['{"a":"x","b":1}', '{"b":1,"a":"x"}', false],
  ['{"a":"x"}', '{"a":"\\u0078"}', false],
  ['{"a":["x"]}', '{"a":["y"]}', false],
  ['{"a":1}', '{"a":1.0}', false],
] as const)("differInValue() of %s and %s is %s", ([one, other, differs]) => {
  expect(differInValue(one, other)).toBe(differs);
  expect(differInValue(other, one)).toBe(differs);
});
