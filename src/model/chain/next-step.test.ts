import { expect, test } from "vitest";
import { CodedError } from "../../base/index.ts";
import { ModelError, type ModelErrorCode, modelErrorCodes } from "../errors.ts";
import { nextStep } from "./next-step.ts";

const fail = (code: ModelErrorCode, details: object = {}) =>
  new ModelError(code, "no", { details: { ...details } });
const step = (error: unknown, tries = 1, rest: Partial<Parameters<typeof nextStep>[0]> = {}) =>
  nextStep({ error, tries, isFallback: false, refusalFallsBack: false, random: 0.5, ...rest });

test.for([
  [
    "429 with retry-after",
    fail("MODEL_RATE_LIMIT", { retryAfterMs: 8000 }),
    1,
    { do: "again", waitMs: 9000 },
  ],
  [
    "529 with retry-after",
    fail("MODEL_OVERLOADED", { retryAfterMs: 8000 }),
    2,
    { do: "again", waitMs: 9000 },
  ],
  [
    "the same for the third time",
    fail("MODEL_RATE_LIMIT", { retryAfterMs: 8000 }),
    3,
    { do: "other", quota: true, restMs: 60_000 },
  ],
  [
    "429 with a longer retry-after",
    fail("MODEL_RATE_LIMIT", { retryAfterMs: 30_001 }),
    1,
    { do: "other", quota: true, restMs: 30_001 },
  ],
  ["an empty quota", fail("MODEL_QUOTA"), 1, { do: "other", quota: true, restMs: 900_000 }],
  ["429 without retry-after", fail("MODEL_RATE_LIMIT"), 1, { do: "again", waitMs: 1000 }],
  ["529 without retry-after", fail("MODEL_OVERLOADED"), 4, { do: "other", quota: true }],
  ["5xx", fail("MODEL_STATUS", { status: 500 }), 1, { do: "again", waitMs: 1000 }],
  ["5xx for the second time", fail("MODEL_STATUS", { status: 500 }), 2, { do: "again", waitMs: 2000 }],
  ["5xx for the third time", fail("MODEL_STATUS", { status: 500 }), 3, { do: "again", waitMs: 4000 }],
  ["5xx after that", fail("MODEL_STATUS", { status: 500 }), 4, { do: "other", quota: false }],
  ["a cut stream", fail("MODEL_CUT"), 1, { do: "again", waitMs: 1000 }],
  ["silence", fail("MODEL_SILENT"), 1, { do: "again", waitMs: 1000 }],
  ["20 minutes in all", fail("MODEL_TIMEOUT"), 1, { do: "again", waitMs: 1000 }],
  ["a connection that failed", new CodedError("CONNECT_FAILED", "no"), 1, { do: "again", waitMs: 1000 }],
  ["an address that is closed", new CodedError("CONNECT_BLOCKED", "no"), 1, { do: "other", restMs: 60_000 }],
  ["401 and 403", fail("MODEL_AUTH", { retry: false }), 1, { do: "other", quota: true, restMs: 60_000 }],
  ["an unknown model", fail("MODEL_UNKNOWN", { retry: false }), 1, { do: "other", quota: false }],
  ["a missing package", fail("MODEL_PACKAGE", { retry: false }), 1, { do: "other", quota: false }],
  ["a redirect", fail("MODEL_STATUS", { status: 307, retry: false }), 1, { do: "other" }],
  ["context too long", fail("MODEL_CONTEXT", { retry: false }), 1, { do: "stop" }],
  ["400 otherwise", fail("MODEL_BAD_REQUEST", { retry: false }), 1, { do: "stop" }],
  ["refused by the provider", fail("MODEL_REFUSED", { retry: false }), 1, { do: "stop" }],
  ["a fault of the program", new TypeError("oops"), 1, { do: "stop" }],
] as const)("%s", ([, error, tries, expected]) => {
  expect(step(error, tries)).toMatchObject(expected);
});

test("waits are a quarter longer at most after retry-after, and a quarter off otherwise", () => {
  const asked = fail("MODEL_RATE_LIMIT", { retryAfterMs: 8000 });
  expect([0, 0.999].map((random) => step(asked, 1, { random }))).toEqual([
    { do: "again", waitMs: 8000, retries: 2 },
    { do: "again", waitMs: 9998, retries: 2 },
  ]);
  expect([0, 0.999].map((random) => step(fail("MODEL_CUT"), 3, { random }))).toEqual([
    { do: "again", waitMs: 3000, retries: 3 },
    { do: "again", waitMs: 4998, retries: 3 },
  ]);
});

test("a model in the place of another may be too small, and may be asked what that refused where it is so configured", () => {
  expect(step(fail("MODEL_CONTEXT"), 1, { isFallback: true })).toEqual({ do: "other", quota: false });
  expect(step(fail("MODEL_BAD_REQUEST"), 1, { isFallback: true, refusalFallsBack: true })).toEqual({
    do: "stop",
  });
  expect(step(fail("MODEL_REFUSED"), 1, { refusalFallsBack: true })).toEqual({ do: "other", quota: false });
});

test("no error is asked again without end", () => {
  for (const code of modelErrorCodes) expect(step(fail(code), 5)).not.toMatchObject({ do: "again" });
});
