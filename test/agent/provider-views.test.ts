import fc from "fast-check";
import { expect, test } from "vitest";
import { viewEntries } from "../../src/agent/loop/view.ts";
import type { ChatMessage, ModelProvider } from "../../src/model/index.ts";
import { openChatModel } from "../../src/providers/index.ts";
import { anyContent } from "../fixtures/agent/any-entries.ts";
import { number } from "../fixtures/agent/entries.ts";
import { collectFault, hello } from "../support/model-server.ts";
import { findRefusals } from "../support/provider-rules.ts";

/** A whole proof has 100,000. */
const views = Number(process.env["HAFT_VIEWS"] ?? 1_000);
const providers = ["anthropic", "openai-compatible", "openai", "google"] as const;

/** A model that answers nothing, and the bodies of the requests for it. */
function openListener(provider: ModelProvider) {
  const bodies: string[] = [];
  const never = () => Promise.reject(new Error("nobody is asked"));
  const model = openChatModel(provider, {
    connector: {
      origin: async (url) => ({ kind: "connect", target: url, within: true }),
      open: ({ body }) => {
        bodies.push(String(body));
        return never();
      },
      request: never,
    },
    baseUrl: "http://127.0.0.1:9/v1",
    model: "small",
    setting: "models.main",
  });
  return {
    async send(messages: readonly ChatMessage[]): Promise<string> {
      bodies.length = 0;
      await collectFault(model.stream(hello({ system: [{ text: "Be brief.", mark: true }], messages })));
      return bodies[0] ?? "";
    },
  };
}

test.for(providers)(
  "what is shown of any entries is a request that %s takes, as far as its documentation says",
  { timeout: 3_600_000 },
  async (provider) => {
    const listener = openListener(provider);
    await fc.assert(
      fc.asyncProperty(fc.array(anyContent, { maxLength: 12 }), async (contents) => {
        const body = await listener.send(viewEntries(number(...contents)));
        expect(findRefusals(provider, body)).toEqual([]);
      }),
      { numRuns: views },
    );
  },
);
