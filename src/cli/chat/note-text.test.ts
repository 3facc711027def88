import { expect, test } from "vitest";
import { noteTools } from "../../app/agent/tool-news.ts";
import { describeNote } from "./note-text.ts";

const state = { told: {}, gone: {}, handle: "" };
const tool = { name: "echo", description: "Echo.", parameters: {} };

test.for([
  ["budget run micros", "84 % of the budget\nis spent.", "(84 % of the budget is spent.)"],
  ["memory", "What you remember was changed.", "(the agent is told what has changed in its memory)"],
  ["empty", "Say something.", undefined],
  ["tools", noteTools({ came: [tool], changed: [], back: [], gone: {}, state }).text, undefined],
  [
    "tools",
    noteTools({ came: [], changed: [], back: [], gone: { echo: "its server has left" }, state }).text,
    "(the agent is told which of its tools have gone)",
  ],
] as const)("a note about %s is shown to people in words of theirs, if at all", ([about, text, shown]) => {
  expect(describeNote(about, text)).toBe(shown);
});
