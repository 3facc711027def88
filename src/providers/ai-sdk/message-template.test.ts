import type { LanguageModelV4Message } from "@ai-sdk/provider";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findTemplate, fitPrompt } from "./message-template.ts";

const call = (toolCallId: string, toolName = "read") => ({
  type: "tool-call" as const,
  toolCallId,
  toolName,
  input: {},
});
const asked = (...ids: readonly string[]): LanguageModelV4Message => ({
  role: "assistant",
  content: ids.map((id) => call(id)),
});
const answered = (...ids: readonly string[]): LanguageModelV4Message => ({
  role: "tool",
  content: ids.map((toolCallId) => ({
    type: "tool-result",
    toolCallId,
    toolName: "read",
    output: { type: "text", value: "done" },
  })),
});
const said = (text: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text }] });

/** The ids of calls and results, message by message. */
const readIds = (prompt: readonly LanguageModelV4Message[]): string[][] =>
  prompt.map(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((part) => ("toolCallId" in part ? part.toolCallId : [])),
  );

test.for<readonly [string, "mistral" | "kimi" | "any" | undefined, string | undefined]>([
  ["mistral-large-latest", undefined, "mistral"],
  ["mistralai/Devstral-Small-2-24B-Instruct-2512", undefined, "mistral"],
  ["open-mixtral-8x22b", undefined, "mistral"],
  ["magistral-medium", undefined, "mistral"],
  ["moonshotai/kimi-k2.7", undefined, "kimi"],
  ["gpt-5", undefined, undefined],
  ["my-tune", "mistral", "mistral"],
  ["mistral-large-latest", "any", undefined],
])("findTemplate() of %s with %s", ([model, template, expected]) => {
  expect(findTemplate({ model, ...(template !== undefined && { template }) })).toBe(expected);
});

test("fitPrompt() leaves a prompt of no family as it is", () => {
  const prompt = [said("Go."), asked("call_1|fc_2"), answered("call_1|fc_2"), said("And.")];
  expect(fitPrompt(prompt, undefined)).toEqual(prompt);
});

test("fitPrompt() for Mistral keeps ids of nine letters and digits, and makes such ids of all others", () => {
  const prompt = [said("Go."), asked("dLFhf3kP2", "toolu_01A", "functions.read:0"), answered("toolu_01A")];
  const [, [kept, first, second], [result]] = readIds(fitPrompt(prompt, "mistral")) as [
    string[],
    string[],
    string[],
  ];
  expect(kept).toBe("dLFhf3kP2");
  for (const id of [first, second]) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(second).not.toBe(first);
  expect(result).toBe(first);
});

test("fitPrompt() for Mistral gives two calls two ids, even where one has the id that is made for the other", () => {
  const [, [made = ""] = []] = readIds(fitPrompt([said("Go."), asked("toolu_01A")], "mistral"));
  const fitted = readIds(
    fitPrompt([said("Go."), asked("toolu_01A", made), answered("toolu_01A", made)], "mistral"),
  );
  expect(fitted[1]?.[0]).toBe(made);
  expect(new Set(fitted[1]).size).toBe(2);
  expect(fitted[2]).toEqual(fitted[1]);
});

test("fitPrompt() for Mistral puts an answer between results and the user, whose messages become one", () => {
  const prompt = [said("Go."), asked("a"), answered("a"), said("A picture."), said("And this.")];
  const fitted = fitPrompt(prompt, "mistral");
  expect(fitted.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  expect(fitted.at(-1)?.content).toEqual([
    { type: "text", text: "A picture." },
    { type: "text", text: "And this." },
  ]);
});

test("fitPrompt() for Mistral leaves out thoughts, whose field its API refuses, and a message of thoughts alone", () => {
  const thought = { type: "reasoning" as const, text: "I think." };
  const prompt: LanguageModelV4Message[] = [
    said("Go."),
    { role: "assistant", content: [thought] },
    { role: "assistant", content: [thought, { type: "text", text: "So." }] },
  ];
  expect(fitPrompt(prompt, "mistral")).toEqual([
    said("Go."),
    { role: "assistant", content: [{ type: "text", text: "So." }] },
  ]);
  expect(fitPrompt(prompt, "kimi")).toEqual(prompt);
});

test("fitPrompt() for Kimi numbers calls through the conversation, with the names of their tools", () => {
  const prompt = [said("Go."), asked("a", "b"), answered("a", "b"), said("On."), asked("c"), answered("c")];
  expect(readIds(fitPrompt(prompt, "kimi"))).toEqual([
    [],
    ["functions.read:0", "functions.read:1"],
    ["functions.read:0", "functions.read:1"],
    [],
    ["functions.read:2"],
    ["functions.read:2"],
  ]);
});

test.for(["mistral", "kimi"] as const)(
  "fitPrompt() for %s: whatever the ids, it maps them one to one, and a longer conversation begins the same",
  (template) => {
    const id = fc.oneof(fc.string({ minLength: 1, maxLength: 12 }), fc.stringMatching(/^[a-z0-9]{9}$/));
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 40 }), fc.nat(40), (ids, cut) => {
        const prompt = [said("Go."), ...ids.flatMap((one) => [asked(one), answered(one)])];
        const fitted = fitPrompt(prompt, template);
        const sent = readIds(fitted).flat();
        expect(new Set(sent).size).toBe(ids.length);
        for (let at = 0; at < sent.length; at += 2) expect(sent[at]).toBe(sent[at + 1]);
        const part = fitPrompt(prompt.slice(0, cut), template);
        expect(fitted.slice(0, part.length)).toEqual(part);
      }),
    );
  },
);
