import fc from "fast-check";
import { expect, test } from "vitest";
import { viewEntries } from "../../src/agent/loop/view.ts";
import { anyContent } from "../fixtures/agent/any-entries.ts";
import { answered, number } from "../fixtures/agent/entries.ts";
import { findRefusals } from "../support/provider-rules.ts";
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
