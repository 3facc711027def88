import { PassThrough, Readable, Writable } from "node:stream";
import {
  type ClientConnection,
  client,
  type NewSessionResponse,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
  type Stream,
} from "@agentclientprotocol/sdk";
import type { AcpStreams } from "../../src/server/acp/index.ts";

/** A client of the protocol as the official SDK makes it, which keeps what it is told and answers questions. */
export class AcpClient {
  readonly connection: ClientConnection;
  readonly updates: SessionUpdate[] = [];
  readonly #updates: SessionNotification[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** Chooses the option of this kind, leaves the question, or never answers it. */
  answers: "allow_once" | "allow_always" | "reject_once" | "cancelled" | "never" = "reject_once";

  /** Ends the connection, as an editor does that is closed. */
  readonly leave: () => void;

  constructor(stream: Stream, leave: () => void) {
    this.leave = () => {
      leave();
      this.connection.close();
    };
    this.connection = client({ name: "test" })
      .onNotification("session/update", ({ params }) => {
        this.updates.push(params.update);
        this.#updates.push(params);
      })
      .onRequest("session/request_permission", ({ params }) => this.#answer(params))
      .connect(stream);
  }

  get agent(): ClientConnection["agent"] {
    return this.connection.agent;
  }

  /** The text that the agent said so far. */
  get text(): string {
    return joinText(this.updates);
  }

  /** The text that the agent said in one session so far. */
  readText(sessionId: string): string {
    return joinText(this.#updates.flatMap((one) => (one.sessionId === sessionId ? [one.update] : [])));
  }

  initialize(): Promise<unknown> {
    return this.agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  }

  async begin(cwd: string): Promise<string> {
    await this.initialize();
    const params = { cwd, mcpServers: [] };
    const { sessionId } = await this.agent.request<NewSessionResponse>("session/new", params);
    return sessionId;
  }

  async prompt(sessionId: string, text: string): Promise<string> {
    const prompt = [{ type: "text" as const, text }];
    const { stopReason } = await this.agent.request<PromptResponse>("session/prompt", { sessionId, prompt });
    return stopReason;
  }

  #answer(request: RequestPermissionRequest): RequestPermissionResponse | Promise<RequestPermissionResponse> {
    this.asked.push(request);
    if (this.answers === "never") return new Promise(() => {});
    const option = request.options.find(({ kind }) => kind === this.answers);
    return option === undefined
      ? { outcome: { outcome: "cancelled" } }
      : { outcome: { outcome: "selected", optionId: option.optionId } };
  }
}

function joinText(updates: readonly SessionUpdate[]): string {
  return updates
    .flatMap((one) =>
      one.sessionUpdate === "agent_message_chunk" && one.content.type === "text" ? [one.content.text] : [],
    )
    .join("");
}

/** One connection in this process: the streams of both sides, and how the client goes away. */
export interface AcpPipe {
  readonly client: Stream;
  readonly agent: AcpStreams;
  readonly end: () => void;
}

export function openPipe(): AcpPipe {
  const toAgent = new PassThrough();
  const toClient = new PassThrough();
  return {
    client: ndJsonStream(Writable.toWeb(toAgent), Readable.toWeb(toClient) as ReadableStream<Uint8Array>),
    agent: { input: toAgent, output: toClient },
    end: () => void toAgent.end(),
  };
}
