import type { Outlet } from "../calls/call.ts";
import type { McpClient } from "../client.ts";
import type { Answer } from "./answer.ts";
import { notificationText, type Params, type RequestId, type RpcRequest } from "./message.ts";
import { readProgressToken } from "./meta.ts";
import { isLogLevel, type LogLevel, metaKeys } from "./protocol.ts";

/** One request of 2026-07-28 or later, and the way its answer goes. */
export class Exchange {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
  readonly client: McpClient;
  readonly outlet: Outlet;
  readonly progressToken: string | number | undefined;
  readonly logLevel: LogLevel | undefined;
  /** What to do if the client gives up; undefined once it is answered. */
  onCancel: ((reason: Error) => void) | undefined;

  constructor({ id, method, params }: RpcRequest, meta: Params, client: McpClient, outlet: Outlet) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.client = client;
    this.outlet = outlet;
    this.progressToken = readProgressToken(meta);
    const logLevel = meta[metaKeys.logLevel];
    this.logLevel = isLogLevel(logLevel) ? logLevel : undefined;
  }

  notify(method: string, params: Params): void {
    if (this.outlet.open) this.outlet.send(notificationText(method, params));
  }

  answer({ text, httpStatus }: Answer): void {
    this.outlet.end(text, httpStatus);
  }

  cancel(reason: Error): void {
    const { onCancel } = this;
    this.onCancel = undefined;
    onCancel?.(reason);
  }
}
