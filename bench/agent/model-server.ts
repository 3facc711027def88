import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** What a request was, and when it came. */
export interface AskedBody {
  readonly at: number;
  readonly text: string;
}

export interface ModelServer extends Disposable {
  readonly url: string;
  readonly asked: readonly AskedBody[];
}

/** One answer: a call, or the text that ends the run. */
export interface WireAnswer {
  readonly text: string;
  readonly call?: { readonly name: string; readonly input: string };
}

/** A model on loopback that speaks as OpenAI's API does, and counts what it could have kept of the request before. */
export async function serveModel(answer: (before: number) => WireAnswer): Promise<ModelServer> {
  const asked: AskedBody[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = performance.now();
    const body = toPrompt((await json(request)) as WireBody);
    const cached = commonPrefix(asked.at(-1)?.text ?? "", body);
    const { text, call } = answer(asked.length);
    asked.push({ at, text: body });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunks = [
      chunk(call === undefined ? { content: text } : { tool_calls: [toWireCall(call, asked.length)] }),
      chunk({}, call === undefined ? "stop" : "tool_calls"),
      { id: "x", choices: [], usage: toUsage(body.length, cached) },
    ];
    response.end(`${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")}data: [DONE]\n\n`);
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/v1`, asked, [Symbol.dispose]: close };
}

interface WireBody {
  readonly tools?: readonly unknown[];
  readonly messages: readonly unknown[];
}

/** A request in the order in which a provider reads it: tools, instructions, messages. */
function toPrompt({ tools = [], messages }: WireBody): string {
  return [...tools, ...messages].map((part) => `${JSON.stringify(part)}\n`).join("");
}

/** How many characters two texts have in common at their beginning. */
export function commonPrefix(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}

const chunk = (delta: object, finish: string | null = null): object => ({
  id: "x",
  object: "chat.completion.chunk",
  created: 0,
  model: "scripted",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

function toWireCall({ name, input }: NonNullable<WireAnswer["call"]>, step: number): object {
  return { index: 0, id: `call_${step}`, type: "function", function: { name, arguments: input } };
}

/** A token has about four characters. */
function toUsage(chars: number, cached: number): object {
  const prompt = Math.ceil(chars / 4);
  const details = { cached_tokens: Math.floor(cached / 4) };
  return {
    prompt_tokens: prompt,
    completion_tokens: 20,
    total_tokens: prompt + 20,
    prompt_tokens_details: details,
  };
}
