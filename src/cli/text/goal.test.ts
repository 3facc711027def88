import { expect, test } from "vitest";
import { describeSelection } from "./goal.ts";

const goal = "do I need an umbrella";

test("what a goal chose says which packs, by what, and how many did not fit", () => {
  const say = (packs: string[], by: "likeness" | "budget", leftOut: number, embedder?: "none") =>
    describeSelection(
      { goal, packs, by, leftOut },
      embedder === undefined ? {} : { tools: { search: { embedder } } },
    );
  expect(say(["weather"], "likeness", 0)).toBe(
    'for the goal "do I need an umbrella" the packs nearest in meaning: weather',
  );
  expect(say(["weather"], "likeness", 2)).toMatch(/: weather; 2 more do not fit tools\.budget$/);
  expect(say([], "likeness", 0)).toMatch(/ no pack, since none is near$/);
  expect(say([], "likeness", 1)).toMatch(/ no pack, since none near fits tools\.budget$/);
  expect(say(["a", "b"], "budget", 0)).toMatch(
    / all packs, which fit tools\.budget: a, b; meanings were not compared, since the embedder had no vectors/,
  );
  expect(say(["a"], "budget", 1, "none")).toMatch(
    / as many packs as fit tools\.budget, .*: a; 1 more do not fit tools\.budget; .* there is no embedder/,
  );
});
