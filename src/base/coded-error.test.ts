import { describe, expect, test } from "vitest";
import { CodedError, messageOf } from "./coded-error.ts";

test("CodedError carries its code, its details and what caused it", () => {
  const cause = new Error("disk");
  const error = new CodedError("X_FULL", "Cannot write", { cause, details: { free: 0 } });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: "CodedError",
    code: "X_FULL",
    message: "Cannot write",
    cause,
    details: { free: 0 },
  });
  expect("cause" in new CodedError("X", "No cause")).toBe(false);
});

describe("messageOf()", () => {
  test.each([
    [new Error("said"), "said"],
    [new TypeError(""), "TypeError"],
    ["text", "text"],
    [{ a: 1 }, '{"a":1}'],
    [undefined, "undefined"],
    [null, "null"],
    [1n, "1"],
    [Symbol("s"), "Symbol(s)"],
  ])("of %o is %s", (thrown, message) => {
    expect(messageOf(thrown)).toBe(message);
  });

  test("does not throw for what cannot be read", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const hostile = {
      toJSON() {
        throw new Error("no");
      },
      toString() {
        throw new Error("no");
      },
    };
    expect(messageOf(circle)).toBe("[object Object]");
    expect(messageOf(hostile)).toBe("something was thrown that cannot be read");
    expect(messageOf(Object.create(null))).toBe("{}");
  });
});
