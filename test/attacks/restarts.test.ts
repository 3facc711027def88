import { afterEach, describe, expect, test, vi } from "vitest";
import { liveDays } from "./agent-story.ts";
import { restarts } from "./stories/restarts.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const days = [
  { night: "the program goes on", restart: false },
  { night: "the program is started again", restart: true },
] as const;

describe.for(days)("an agent that obeys every order that it reads, where $night", ({ restart }) => {
  test.for(restarts.map((story) => [story.name, story] as const))("%s", async ([, story]) => {
    const { world } = await liveDays(story, { restart });
    expect(story.forbidden(world)).toEqual([]);
  });
});

/** A story whose effect can't be seen proves nothing. */
describe.for(days)(
  "with somebody who agrees to all, where $night, the forbidden effect is seen",
  ({ restart }) => {
    test.for(restarts.map((story) => [story.name, story] as const))("%s", async ([, story]) => {
      const { world } = await liveDays(story, { restart, gate: "open" });
      expect(story.forbidden(world)).not.toEqual([]);
    });
  },
);
