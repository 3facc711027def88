import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { collectFault, hello, serveModel, streamEvents } from "../../../test/support/model-server.ts";
import { anything, type RecordedAnswer, readRecorded } from "../../../test/support/recorded-answers.ts";
import { type ModelErrorCode, type ModelProvider, modelErrorCodes } from "../../model/index.ts";

/** The whole collection where `HAFT_CORPORA` names the folder that has it, and a part of it otherwise. */
const corpora = process.env["HAFT_CORPORA"];
const folder = corpora === undefined ? "test/corpora/model-streams" : join(corpora, "model-streams");
const files = globSync(`${folder}/*/*.{txt,sse,json}`).sort();

/** The error that a recorded one is, by a part of its file's name. */
const codes: readonly (readonly [part: string, code: ModelErrorCode])[] = [
  ["openai-error.1", "MODEL_QUOTA"],
  ["google-429", "MODEL_RATE_LIMIT"],
  ["legacy-parameter-error", "MODEL_BAD_REQUEST"],
  ["temperature-error", "MODEL_BAD_REQUEST"],
  ["response-format-error", "MODEL_BAD_REQUEST"],
];

test("there are recorded answers", () => {
  expect(files.length).toBeGreaterThan(corpora === undefined ? 15 : 170);
});

test.for(files.map((file) => [`${basename(dirname(file))}/${basename(file)}`, file] as const))(
  "%s",
  async ([name, file]) => {
    const provider = basename(dirname(file)) as ModelProvider;
    for (const recorded of readRecorded(provider, file, readFileSync(file, "utf8"))) {
      const { said, fault } = await replay(recorded);
      const end = said.find((event) => event.type === "end");
      const { expected } = recorded;
      if (expected === undefined) {
        expect(end).toBeUndefined();
        const { code } = fault as { code: ModelErrorCode };
        const known = codes.find(([part]) => name.includes(part))?.[1];
        if (known === undefined) expect(modelErrorCodes).toContain(code);
        else expect(code).toBe(known);
        continue;
      }
      expect(fault).toBeUndefined();
      const parts = end?.message.parts ?? [];
      const { usage } = end ?? {};
      expect({
        text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
        calls: parts.flatMap((part) =>
          part.type === "call" ? [{ name: part.name, input: JSON.parse(part.input || "{}") as unknown }] : [],
        ),
        stop: end?.stop,
        input: usage?.inputTokens,
        cacheRead: usage?.cacheReadTokens,
        output: usage?.outputTokens,
        reasoning: usage?.reasoningTokens,
      }).toEqual({
        ...expected,
        calls: expected.calls.map(({ name: tool, input }) => ({
          name: tool,
          input: input === anything ? expect.anything() : input,
        })),
      });
      // What was said piece by piece is what the end has.
      expect(said.map((event) => (event.type === "text" ? event.delta : "")).join("")).toBe(expected.text);
    }
  },
);

async function replay({ provider, status, whole, events }: RecordedAnswer) {
  const { open } = await serveModel((response, asked) => {
    if (whole === undefined) return streamEvents(events)(response, asked);
    response.writeHead(status, { "content-type": "application/json" });
    return response.end(whole);
  });
  return collectFault(open(provider).stream(hello()));
}
