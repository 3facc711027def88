import { expect, test } from "vitest";
import { ExtensionBench } from "../support/extensions.ts";

// The form of a system whose tools are factories with TypeBox schemas, called with the id of the call first.
const lookUp = `
import { Type } from "@sinclair/typebox";

const Params = Type.Object({
  city: Type.String({ description: "Whose weather" }),
  days: Type.Optional(Type.Number({ description: "How many days ahead" })),
});

export default (ctx) => ({
  name: "weather_look_up",
  description: "Look up the weather of a city.",
  parameters: Params,
  execute: async (toolCallId, args) => {
    if (args.city === "Ys") return { success: false, error: "no such city" };
    return { output: args.city + " in " + (args.days ?? 1) + " for " + typeof toolCallId, details: { city: args.city } };
  },
});
`;

test.for([
  [
    "a marker of its module",
    { "tools/weather.ts": `${lookUp}\nexport const meta = { signature: "toolCallId, args" };\n` },
  ],
  [
    "its pack.md",
    {
      "tools/weather/pack.md": "---\nsignature: toolCallId, args\n---\n# Weather\n\nForecasts.\n",
      "tools/weather/look-up.ts": lookUp,
    },
  ],
] as const)("a tool of the form execute(toolCallId, args) runs by %s", async ([, files]) => {
  await using bench = await ExtensionBench.open({ files });
  expect(bench.source.problems()).toEqual([]);
  expect(await bench.call("weather_look_up", { city: "Oslo", days: 2 })).toMatchObject({
    success: true,
    result: { city: "Oslo" },
    text: "Oslo in 2 for string",
  });
  expect(await bench.call("weather_look_up", { city: "Ys" })).toMatchObject({
    success: false,
    error: "no such city",
  });
  expect(await bench.call("weather_look_up", { days: 2 })).toMatchObject({ code: "TOOL_VALIDATION" });
});

test("a signature that haft does not know is said, with those that there are", async () => {
  const files = { "tools/weather.ts": `${lookUp}\nexport const meta = { signature: "args, id" };\n` };
  await using bench = await ExtensionBench.open({ files });
  expect(bench.source.problems()).toMatchObject([
    { message: expect.stringContaining('write "toolCallId, args"') },
  ]);
});
