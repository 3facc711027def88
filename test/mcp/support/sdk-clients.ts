import { join } from "node:path";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as TransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { inject, onTestFinished } from "vitest";

export interface CallResult {
  readonly content?: readonly { readonly type: string; readonly text?: string; readonly data?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number | undefined;
  }) => void;
  readonly signal?: AbortSignal;
}

/** One of the official clients, in the words of this test. */
export interface SdkClient {
  readonly protocolVersion: string | undefined;
  list(): Promise<readonly string[]>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<CallResult>;
  /** Resolves with the names of the tools once the server says that they have changed. */
  readonly changed: Promise<void>;
}

export interface Asked {
  readonly message: string;
  readonly requestedSchema?: unknown;
}

export interface ClientSetup {
  /** Answers a form; absent, the client can't show any. */
  readonly answer?: (asked: Asked) => {
    action: "accept" | "decline" | "cancel";
    content?: Record<string, string>;
  };
}

/** An endpoint over HTTP, or the file of a server to start. */
export type Target = { readonly url: string; readonly token?: string } | { readonly file: string };

export const clientKinds = ["v1", "v2 legacy", "v2 auto", "v2 modern"] as const;
export type ClientKind = (typeof clientKinds)[number];

const info = { name: "interop-client", version: "1.0.0" };

export function connect(kind: ClientKind, target: Target, setup: ClientSetup = {}): Promise<SdkClient> {
  return kind === "v1" ? connectV1(target, setup) : connectV2(kind, target, setup);
}

async function connectV1(target: Target, { answer }: ClientSetup): Promise<SdkClient> {
  const client = new ClientV1(info, { capabilities: answer === undefined ? {} : { elicitation: {} } });
  if (answer !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params as Asked));
  }
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
  });
  const transport =
    "url" in target
      ? new HttpV1(new URL(target.url), requestInit(target.token))
      : new StdioV1(program(target.file));
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as TransportV1);
  onTestFinished(() => client.close());
  return {
    protocolVersion: (transport as { protocolVersion?: string }).protocolVersion ?? "2025-11-25",
    changed,
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, { onProgress, signal } = {}) =>
      (await client.callTool({ name, arguments: args }, undefined, {
        ...(onProgress !== undefined && { onprogress: onProgress }),
        ...(signal !== undefined && { signal }),
      })) as CallResult,
  };
}

async function connectV2(kind: ClientKind, target: Target, { answer }: ClientSetup): Promise<SdkClient> {
  let tell = () => {};
  const changed = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const mode = kind === "v2 legacy" ? "legacy" : kind === "v2 auto" ? "auto" : { pin: "2026-07-28" };
  const client = new ClientV2(info, {
    capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
    versionNegotiation: { mode } as NonNullable<
      ConstructorParameters<typeof ClientV2>[1]
    >["versionNegotiation"] &
      object,
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => tell() } },
  });
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => answer(params as Asked));
  }
  const transport =
    "url" in target
      ? new HttpV2(new URL(target.url), requestInit(target.token))
      : new StdioV2(program(target.file));
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  onTestFinished(() => client.close());
  return {
    protocolVersion: client.getNegotiatedProtocolVersion(),
    changed,
    list: async () => (await client.listTools({}, { cacheMode: "refresh" })).tools.map(({ name }) => name),
    call: async (name, args = {}, { onProgress, signal } = {}) =>
      (await client.callTool(
        { name, arguments: args },
        {
          ...(onProgress !== undefined && { onprogress: onProgress }),
          ...(signal !== undefined && { signal }),
        },
      )) as CallResult,
  };
}

function requestInit(token: string | undefined): { requestInit?: RequestInit } {
  return token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

function program(file: string): { command: string; args: string[]; env: Record<string, string> } {
  const { NODE_COMPILE_CACHE } = process.env;
  return {
    command: process.execPath,
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
    args: [join(inject("built"), "test/fixtures/mcp", file)],
  };
}
