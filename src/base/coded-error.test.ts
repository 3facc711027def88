import { describe, expect, test } from "vitest";
import { CodedError, getErrorCode, getErrorMessage } from "./coded-error.ts";

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

describe("getErrorMessage()", () => {
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
    expect(getErrorMessage(thrown)).toBe(message);
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
    expect(getErrorMessage(circle)).toBe("[object Object]");
    expect(getErrorMessage(hostile)).toBe("something was thrown that cannot be read");
    expect(getErrorMessage(Object.create(null))).toBe("{}");
  });
});

test("getErrorCode() is the code of an error, and nothing of anything else", () => {
  const hostile = Object.defineProperty(new Error("no"), "code", {
    get() {
      throw new Error("no");
    },
  });
  const withCode = (code: unknown) => Object.assign(new Error("said"), { code });
  expect(
    [withCode("ENOENT"), withCode(5), new Error("said"), { code: "ENOENT" }, null, hostile].map(getErrorCode),
  ).toEqual(["ENOENT", undefined, undefined, undefined, undefined, undefined]);
});
