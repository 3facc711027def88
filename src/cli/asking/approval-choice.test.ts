import { expect, test } from "vitest";
import type { GrantOffer } from "../../kernel/index.ts";
import { listChoices } from "./approval-choice.ts";

const by = "owner:ada";
const exact: GrantOffer = {
  id: "exact",
  label: "exactly this call",
  covers: "a",
  leaves: "b",
  terms: ["session", "time", "always"],
};
const wider: GrantOffer = {
  ...exact,
  id: "wider",
  label: "run `npm test` with any arguments",
  patterns: [{ kind: "run", target: "npm test", reach: "arguments" }],
  terms: ["session", "time"],
};

test("listChoices() offers a no first, and nothing to remember where nothing may be", () => {
  expect(listChoices({ offers: [] }, { by, while: "session" })).toEqual([
    { key: "n", label: "no", answer: { approved: false, by } },
    { key: "y", label: "yes, this once", answer: { approved: true, by } },
  ]);
});

test("listChoices() offers what may be remembered, for as long as it may", () => {
  const shown = listChoices({ offers: [exact, wider] }, { by, while: "session", canLeave: true });
  expect(shown.map(({ key, label }) => `${key} ${label}`)).toEqual([
    "n no",
    "y yes, this once",
    "s yes, for this session, for exactly this call",
    "a always, for exactly this call",
    "g yes, for this session: run `npm test` with any arguments",
    "l leave it open",
  ]);
  expect(shown.map(({ answer }) => answer).slice(2)).toEqual([
    { approved: true, by, remember: { offer: "exact", term: "session" } },
    { approved: true, by, remember: { offer: "exact", term: "always" } },
    { approved: true, by, remember: { offer: "wider", term: "session" } },
    "left",
  ]);
});

test("listChoices() offers an hour where there is no session, and no key for a term that was not offered", () => {
  const hour = listChoices({ offers: [exact] }, { by, while: 3_600_000 });
  expect(hour.map(({ key }) => key)).toEqual(["n", "y", "h", "a"]);
  const session = { ...exact, terms: ["session"] } as const;
  expect(listChoices({ offers: [session] }, { by, while: 3_600_000 }).map(({ key }) => key)).toEqual([
    "n",
    "y",
  ]);
});

test("listChoices() offers to say why not, where an agent reads it", () => {
  const choices = listChoices({ offers: [] }, { by, while: "session", canExplain: true });
  expect(choices.at(-1)).toEqual({ key: "w", label: "no, and say why", answer: { approved: false, by } });
});
