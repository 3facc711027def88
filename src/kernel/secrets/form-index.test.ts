import fc from "fast-check";
import { expect, test } from "vitest";
import { FormIndex } from "./form-index.ts";

const letters = fc.constantFrom("a", "b", "é", "\u{10a0}", "z");
const value = fc.string({ unit: letters, minLength: 8, maxLength: 14 });

test("FormIndex finds the first form in a text, and the longest that begins there", () => {
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 6 }),
      fc.array(fc.oneof(fc.string({ unit: letters, maxLength: 9 }), fc.nat(5)), { maxLength: 12 }),
      (values, parts) => {
        const index = new FormIndex((secret) => [secret]);
        for (const [at, one] of values.entries()) index.add(`${at}`, one);
        const text = parts
          .map((part) => (typeof part === "string" ? part : values[part % values.length]))
          .join("");
        for (let from = 0; from <= text.length; from++) {
          const places = values.map((one) => text.indexOf(one, from)).filter((at) => at >= 0);
          const first = Math.min(...places);
          const longest = Math.max(
            ...values.filter((one) => text.startsWith(one, first)).map((one) => one.length),
          );
          const found = index.find(text, from);
          expect(found && [found.index, found.form.length]).toEqual(
            places.length === 0 ? undefined : [first, longest],
          );
        }
      },
    ),
  );
});
