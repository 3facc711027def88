import type { FetchLike } from "@modelcontextprotocol/client";
import type { Clock, MaybePromise } from "../../../base/index.ts";
import type { McpServerConfig } from "../config.ts";
import type * as mcp from "../sdk.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { Credentials } from "./oauth-client.ts";

/** What each way of getting tokens works with. */
export interface GrantContext {
  readonly sdk: typeof mcp;
  readonly server: McpServerConfig;
  readonly fetch: FetchLike;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly authorizationServer: AuthorizationServer;
  readonly resource: string;
  readonly scope: string | undefined;
  readonly credentials: Credentials;
  readonly learn: (value: string) => void;
}

/** Whoever logs in. */
export interface LoginPerson {
  /**
   * Shows where to log in. The address is https, or http on this machine; nothing opens it but what the person agrees
   * to, and never a shell. `signal` withdraws it: the browser came back.
   */
  showAuthorization(where: AuthorizationPlace): MaybePromise<void>;
  /** The address that a browser on another machine ended at; undefined where nobody types one. */
  paste?(signal: AbortSignal): Promise<string | undefined>;
  /** Shows the code to type at an address, on any device. */
  showCode(code: DeviceCode): MaybePromise<void>;
}

/** The address at which a person logs in, and the one that the browser comes back to. */
export interface AuthorizationPlace {
  readonly url: URL;
  readonly redirectUri: string;
  readonly signal: AbortSignal;
}

/** The code that a person types in a browser on another device, and where. */
export interface DeviceCode {
  readonly userCode: string;
  readonly url: URL;
  /** The address with the code in it. */
  readonly completeUrl?: URL;
  /** Unix ms. */
  readonly expiresAt: number;
}
