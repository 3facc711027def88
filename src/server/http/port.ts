import type { ConnectionEnds } from "../../host/index.ts";

/** The part of node:http's `IncomingMessage` that is used. */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The request is over, or the client is gone. */
  readonly destroyed?: boolean;
  /** The connection that it came by. */
  readonly socket?: ConnectionEnds;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  resume(): unknown;
}

/** The part of node:http's `ServerResponse` that is used. */
export interface HttpResponse {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableLength: number;
  /** The client is gone, or has been cut off. */
  readonly destroyed?: boolean;
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  write(content: string | Uint8Array): boolean;
  end(content?: string | Uint8Array): unknown;
  destroy(): unknown;
  on(event: "close" | "drain", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** The value of a header that may be given once; undefined where it is absent. */
export function readHeader({ headers }: Pick<HttpRequest, "headers">, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}
