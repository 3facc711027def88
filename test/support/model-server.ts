import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { ChatEvent, ChatModel, ChatRequest, ModelProvider } from "../../src/model/index.ts";
import { type ChatModelSettings, openChatModel } from "../../src/providers/index.ts";
import { openTestConnector } from "./connect.ts";
import { listenOnLoopback } from "./loopback.ts";

/** What one request of a model's API was. */
export interface AskedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
  /** The body, as it came. */
  readonly raw: string;
}

/** Answers one request; what it leaves open stays open. */
export type ModelAnswering = (response: ServerResponse, asked: AskedRequest) => unknown;

/** The API of a model on loopback. */
export interface ModelServer {
  readonly url: string;
  readonly asked: readonly AskedRequest[];
  readonly open: (provider: ModelProvider, settings?: Partial<ChatModelSettings>) => ChatModel;
}

/** Serves the API of a model on loopback until the test is over. */
export async function serveModel(answer: ModelAnswering): Promise<ModelServer> {
  const asked: AskedRequest[] = [];
  const { url } = await listenOnLoopback(async (request, response) => {
    const raw = await text(request);
    const body = JSON.parse(raw) as Record<string, unknown>;
    const one = { path: request.url ?? "", headers: request.headers, body, raw };
    asked.push(one);
    await answer(response, one);
  });
  return {
    url: `${url}/v1`,
    asked,
    open: (provider, settings = {}) =>
      openChatModel(provider, {
        connector: openTestConnector(),
        baseUrl: `${url}/v1`,
        model: "small",
        setting: "models.main",
        ...settings,
      }),
  };
}

/** Streams events, each a value as JSON or a text as it is; ends the answer unless it is to be cut or left open. */
export function streamEvents(
  events: readonly unknown[],
  after: "end" | "cut" | "open" = "end",
): ModelAnswering {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) {
      const data = typeof event === "string" ? event : JSON.stringify(event);
      await new Promise<void>((done) => void response.write(`data: ${data}\n\n`, () => done()));
    }
    if (after === "end") response.end();
    if (after === "cut") response.destroy();
  };
}

/** Answers with the status of an error. */
export function refuseWith(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ModelAnswering {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

/** A request that says hello. */
export function hello(part: Partial<ChatRequest> = {}): ChatRequest {
  return {
    system: [],
    messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }],
    tools: [],
    signal: new AbortController().signal,
    ...part,
  };
}

/** All that a model streams. */
export async function collect(events: AsyncIterable<ChatEvent>): Promise<readonly ChatEvent[]> {
  const said: ChatEvent[] = [];
  for await (const event of events) said.push(event);
  return said;
}

/** What a stream said until it failed, and why it did. */
export async function collectFault(
  events: AsyncIterable<ChatEvent>,
): Promise<{ readonly said: readonly ChatEvent[]; readonly fault: unknown }> {
  const said: ChatEvent[] = [];
  try {
    for await (const event of events) said.push(event);
  } catch (fault) {
    return { said, fault };
  }
  return { said, fault: undefined };
}

/** What comes of one request to a model of a provider whose API answers so. */
export async function askModel(
  provider: ModelProvider,
  answer: ModelAnswering,
  part: Partial<ChatRequest> = {},
): Promise<ModelOutcome> {
  const { open, asked } = await serveModel(answer);
  const { said, fault } = await collectFault(open(provider).stream(hello(part)));
  return { said, fault, asked, end: said.find((event) => event.type === "end") };
}

/** What came of one request. */
export interface ModelOutcome {
  readonly said: readonly ChatEvent[];
  readonly fault: unknown;
  readonly asked: readonly AskedRequest[];
  readonly end: Extract<ChatEvent, { type: "end" }> | undefined;
}
