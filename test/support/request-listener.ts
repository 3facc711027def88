import type { ChatRequest, ModelProvider } from "../../src/model/index.ts";
import { openChatModel } from "../../src/providers/index.ts";
import { collectFault, hello } from "./model-server.ts";

/** A model of a provider that answers nothing: it gives the body that a request goes out with. */
export function openListener(
  provider: ModelProvider,
  {
    images = true,
    model: name = "small",
    ...settings
  }: {
    readonly images?: boolean;
    readonly model?: string;
    readonly template?: "mistral" | "kimi" | "any";
  } = {},
): (request: Pick<ChatRequest, "messages"> & Partial<ChatRequest>) => Promise<string> {
  let sent = "";
  const never = () => Promise.reject(new Error("nobody is asked"));
  const model = openChatModel(provider, {
    connector: {
      origin: async (url) => ({ kind: "connect", target: url, within: true }),
      open: ({ body }) => {
        sent = String(body);
        return never();
      },
      request: never,
    },
    baseUrl: "http://127.0.0.1:9/v1",
    ...settings,
    model: name,
    setting: "models.main",
    facts: { images },
  });
  return async (request) => {
    sent = "";
    await collectFault(model.stream(hello(request)));
    return sent;
  };
}
