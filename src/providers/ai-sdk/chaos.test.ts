import { LLMock } from "@copilotkit/aimock";
import { expect, onTestFinished, test } from "vitest";
import { openTestConnector } from "../../../test/support/connect.ts";
import { createHastyClock } from "../../../test/support/hasty-clock.ts";
import { collectFault, hello } from "../../../test/support/model-server.ts";
import { CodedError } from "../../base/index.ts";
import { type ChatEvent, chainModels } from "../../model/index.ts";
import { openChatModel } from "../index.ts";

/** Models of three questions: one answers in words, one with a call, one with two at once and words before them. */
function addAnswers(mock: LLMock): void {
  mock.onMessage("words", { content: "These are quite a few words, which come in pieces." });
  mock.onMessage("one call", { toolCalls: [{ name: "read", arguments: '{"path":"a.txt"}' }] });
  mock.onMessage("two calls", {
    content: "I do both.",
    toolCalls: [
      { name: "read", arguments: '{"path":"b.txt"}' },
      { name: "list", arguments: '{"path":"."}' },
    ],
  });
}

const questions = ["words", "one call", "two calls"];

const listParts = (end: ChatEvent | undefined) =>
  end?.type === "end"
    ? end.message.parts.map((part) => {
        if (part.type === "call") return `${part.name} ${part.input}`;
        return part.text;
      })
    : undefined;

test.for(["openai-compatible", "anthropic"] as const)(
  "a chain of models of %s gives the same answers through chaos: 500, 429, broken JSON, and connections that break before and in the middle",
  async (provider) => {
    const mock = new LLMock({ port: 0, chunkSize: 5 });
    let cuts = false;
    let asked = 0;
    // Every third answer is cut in its middle: two connections in ten, and calls of it, are lost on the way.
    mock.addFixture({
      match: { predicate: () => cuts && ++asked % 3 === 0 },
      response: { content: "This is never heard to its end by anybody." },
      truncateAfterChunks: 3,
    });
    addAnswers(mock);
    await mock.start();
    onTestFinished(() => mock.stop());
    const clock = createHastyClock();
    const connector = openTestConnector();
    const baseUrl = `${mock.url}/v1`;
    const settings = { connector, baseUrl, apiKey: async () => "key", setting: "models.main" };
    const models = ["first", "second"].map((model) =>
      openChatModel(provider, { ...settings, model, facts: { quota: model } }),
    );
    const chain = chainModels(models, { clock });
    const ask = (question: string) =>
      collectFault(
        chain.stream(
          hello({
            messages: [{ role: "user", parts: [{ type: "text", text: question }] }],
            tools: ["read", "list"].map((name) => ({
              name,
              description: name,
              parameters: { type: "object" },
            })),
            maxTokens: 500,
          }),
        ),
      );
    const calm = new Map<string, unknown>();
    for (const question of questions) calm.set(question, listParts((await ask(question)).said.at(-1)));
    expect(calm.get("two calls")).toEqual(["I do both.", 'read {"path":"b.txt"}', 'list {"path":"."}']);
    mock.setChaos({ dropRate: 0.3, malformedRate: 0.3, disconnectRate: 0.3, rateLimitRate: 0.3 });
    cuts = true;
    let withdrawals = 0;
    for (let round = 0; round < 20; round++)
      for (const question of questions) {
        let end: ChatEvent | undefined;
        for (let times = 0; end === undefined && times < 200; times++) {
          const { said, fault } = await ask(question);
          withdrawals += said.filter(({ type }) => type === "withdrawn").length;
          end = said.find(({ type }) => type === "end");
          // What can't be had now ends in an error with a code, and never in an answer.
          expect(fault === undefined).toBe(end !== undefined);
          if (fault !== undefined) expect(fault).toBeInstanceOf(CodedError);
          clock.pass(3_600_000);
        }
        expect(listParts(end)).toEqual(calm.get(question));
      }
    expect(withdrawals).toBeGreaterThan(60);
  },
);
