import { expect, test } from "vitest";
import type { GrantOffer } from "../../../kernel/index.ts";
import { toAnswer, toForm } from "./approval-form.ts";

const by = "mcp:ada";
const exact: GrantOffer = {
  id: "exact",
  label: "exactly this call",
  covers: "npm test",
  leaves: "npm test -w",
  terms: ["session", "time", "always"],
};
const wider: GrantOffer = {
  id: "wider",
  label: "npm test with any arguments",
  patterns: [],
  covers: "npm test -w",
  leaves: "npm publish",
  terms: ["session"],
};

function listChoices(offers: readonly GrantOffer[]): readonly string[] {
  return (toForm(offers).properties["decision"] as { readonly enum: readonly string[] }).enum;
}

function readAnswer(decision: string, offers: readonly GrantOffer[]) {
  return toAnswer({ action: "accept", content: { decision } }, { offers }, by);
}

test("toForm() has a yes for this once and a no, and beside them what is offered, for as long as it is offered", () => {
  expect(listChoices([])).toEqual(["allow once", "deny"]);
  expect(listChoices([exact, wider])).toEqual([
    "allow once",
    "allow for this session: exactly this call",
    "allow for one hour: exactly this call",
    "allow always: exactly this call",
    "allow for this session: npm test with any arguments",
    "deny",
  ]);
  expect(toForm([exact])).toMatchObject({ required: ["decision"] });
  expect(toForm([exact]).properties["decision"]).not.toHaveProperty("default");
});

test("toAnswer() remembers a yes as the choice said", () => {
  const offers = [exact, wider];
  expect(readAnswer("allow once", offers)).toEqual({ approved: true, by });
  expect(
    listChoices(offers)
      .slice(1, -1)
      .map((choice) => readAnswer(choice, offers)),
  ).toEqual(
    [
      { offer: "exact", term: "session" },
      { offer: "exact", term: 3_600_000 },
      { offer: "exact", term: "always" },
      { offer: "wider", term: "session" },
    ].map((remember) => ({ approved: true, by, remember })),
  );
});

test.for([
  "deny",
  "allow",
  "ALLOW ONCE",
  "allow always: exactly this call",
  "allow always: something else",
  "",
])('toAnswer() takes "%s" for a no where it is not among the choices of a yes', (decision) => {
  expect(readAnswer(decision, [{ ...exact, terms: ["session"] }])).toEqual({ approved: false, by });
});

test("toAnswer() takes leaving the question for a no", () => {
  expect(toAnswer({ action: "decline" }, { offers: [] }, by)).toEqual({
    approved: false,
    by,
    reason: "declined",
  });
  expect(toAnswer({ action: "cancel" }, { offers: [] }, by)).toEqual({
    approved: false,
    by,
    reason: "closed the question",
  });
});

test("toForm() cuts a long choice, hides nothing in it, and leaves out one that reads like another", () => {
  const long = { ...wider, label: `run ${"x".repeat(500)}\u202e` };
  const choice = listChoices([long, { ...long, id: "other" }])[1] as string;
  expect(choice).toHaveLength("allow for this session: ".length + 121);
  expect(listChoices([long, { ...long, id: "other" }])).toHaveLength(3);
  expect(readAnswer(choice, [long, { ...long, id: "other" }])).toMatchObject({
    remember: { offer: "wider" },
  });
  expect(listChoices([{ ...wider, label: "run a\u202eb\nc" }])[1]).toBe(
    "allow for this session: run a\\u{202e}b\\u{a}c",
  );
});
