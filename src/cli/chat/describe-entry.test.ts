import { expect, test } from "vitest";
import { answered, number, said } from "../../../test/fixtures/agent/entries.ts";
import type { Entry } from "../../modules/sessions/index.ts";
import { describeEntry, describeLastTurn } from "./describe-entry.ts";

test("describeEntry() shows what an answer says, and each call with its arguments", () => {
  const [entry] = number(answered(1, "I look.", [["bash", '{"command":"ls -l"}'], "listdir"]));
  expect(describeEntry(entry as Entry)).toBe("\nI look.\n  → bash ls -l\n  → listdir");
});

test("describeLastTurn() shows the last message and the last answer, and no more of either than reminds of them", () => {
  const before = [said("First"), answered(1, "One.")];
  expect(describeLastTurn(number(...before, said("Second"), answered(1, "I look.", ["a"])))).toBe(
    "you: Second\nI look.",
  );
  expect(describeLastTurn(number(said("x"), answered(1, "a"), answered(2, "b")))).toBe("you: x\n…\nb");
  const long = describeLastTurn(number(said("s".repeat(5_000)), answered(1, "t".repeat(5_000))));
  expect(long).toMatch(/^you: s{400} …\nt{1500} …$/);
  expect(describeLastTurn([])).toBe("");
});
