import fc from "fast-check";
import { expect, test } from "vitest";
import { viewEntries } from "../../src/agent/loop/view.ts";
import { anyContent } from "../fixtures/agent/any-entries.ts";
import { number } from "../fixtures/agent/entries.ts";
import { findRefusals } from "../support/provider-rules.ts";
import { openListener } from "../support/request-listener.ts";

/** A whole proof has 100,000. */
const views = Number(process.env["HAFT_VIEWS"] ?? 1_000);
const providers = ["anthropic", "openai-compatible", "openai", "google"] as const;

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
