import fc from "fast-check";
import { expect, test } from "vitest";
import { viewEntries } from "../../src/agent/loop/view.ts";
import type { EntryContent } from "../../src/modules/sessions/index.ts";
import { anyContent } from "../fixtures/agent/any-entries.ts";
import { answered, number, resulted, said } from "../fixtures/agent/entries.ts";
import { findRefusals, findTemplateFaults } from "../support/provider-rules.ts";
import { openListener } from "../support/request-listener.ts";

/** A whole proof has 100,000. */
const views = Number(process.env["HAFT_VIEWS"] ?? 1_000);
const providers = ["anthropic", "openai-compatible", "openai", "google"] as const;

test.for(providers)("a model of %s that takes no pictures is sent none, and told so", async (provider) => {
  const picture = { type: "image" as const, mimeType: "image/png", data: "aGk=" };
  const entries = number({ kind: "user", parts: [picture] }, answered(1, "", ["look"]), {
    kind: "result",
    callId: "r.1.1",
    name: "look",
    text: "",
    failed: false,
    images: [picture],
  });
  const messages = viewEntries(entries);
  const body = await openListener(provider, { images: false })({ messages });
  expect(findRefusals(provider, body)).toEqual([]);
  expect(body).not.toContain("aGk=");
  expect(body.split("A picture is left out here")).toHaveLength(3);
  expect(await openListener(provider)({ messages })).toContain("aGk=");
});

test.for(providers)(
  "what is shown of any entries is a request that %s takes, as far as its documentation says",
  { timeout: 3_600_000 },
  async (provider) => {
    const send = openListener(provider);
    await fc.assert(
      fc.asyncProperty(fc.array(anyContent, { maxLength: 12 }), async (contents) => {
        const messages = viewEntries(number(...contents));
        const body = await send({ system: [{ text: "Be brief.", mark: true }], messages });
        expect(findRefusals(provider, body)).toEqual([]);
      }),
      { numRuns: views },
    );
  },
);

test.for([
  ["mistral", "codestral-latest"],
  ["kimi", "moonshotai/Kimi-K2-Instruct"],
] as const)(
  "what is shown of any entries is a request that models of the family %s take",
  { timeout: 3_600_000 },
  async ([template, model]) => {
    const send = openListener("openai-compatible", { model });
    await fc.assert(
      fc.asyncProperty(fc.array(anyContent, { maxLength: 12 }), async (contents) => {
        const body = await send({ messages: viewEntries(number(...contents)) });
        // Kimi's ids are as long as the names of tools.
        const refusals = findRefusals("openai-compatible", body).filter(
          (fault) => template !== "kimi" || !fault.startsWith("tool_calls.id"),
        );
        expect([...refusals, ...findTemplateFaults(template, body)]).toEqual([]);
      }),
      { numRuns: views },
    );
  },
);

test.for(["mistral", "kimi"] as const)(
  "for the family %s a call has one id all through a session, and what was sent before is sent again",
  async (template) => {
    const send = openListener("openai-compatible", { template });
    const steps = Array.from({ length: 30 }, (_, at): EntryContent[] => [
      answered(at + 1, `Step ${at}.`, ["read", "list"]),
      resulted(`r.${at + 1}.1`),
      resulted(`r.${at + 1}.2`),
      ...(at % 7 === 0 ? [said(`And ${at}.`)] : []),
    ]);
    let before: readonly unknown[] = [];
    for (let count = 1; count <= steps.length; count++) {
      const entries = number(said("Go."), ...steps.slice(0, count).flat());
      const body = await send({ messages: viewEntries(entries) });
      const { messages } = JSON.parse(body) as { readonly messages: readonly unknown[] };
      expect(findTemplateFaults(template, body)).toEqual([]);
      expect(messages.slice(0, before.length)).toEqual(before);
      before = messages;
    }
    expect(before.length).toBeGreaterThan(90);
  },
);
