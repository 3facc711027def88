import { isRecord, type MaybePromise, parseJson } from "../../../base/index.ts";
import type { McpServerConfig } from "../config.ts";
import type { GrantType } from "./auth-config.ts";
import type { AuthorizationServer } from "./authorization-server.ts";

/** The client that an authorization server knows haft as. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** What the authorization server said it would take. */
  readonly authMethod?: string;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Unix ms. */
  readonly expiresAt?: number;
  readonly scope?: string;
}

/** What logging in left: good for one server, from one authorization server. */
export interface Login extends Tokens {
  /** The server's address. */
  readonly server: string;
  readonly grant: GrantType;
  readonly authorizationServer: AuthorizationServer;
  /** What the tokens are for, as the server calls itself (RFC 8707). */
  readonly resource: string;
  readonly client: OAuthClient;
}

/** A store of logins that outlives the run. Nothing but this may read them. */
export interface LoginStore {
  /** Undefined: nobody has logged in to this server at this address. */
  read(server: McpServerConfig): MaybePromise<Login | undefined>;
  write(server: McpServerConfig, login: Login): MaybePromise<void>;
  /** False where there was none. */
  remove(server: McpServerConfig): MaybePromise<boolean>;
}

/** The values in a login that nobody may see. */
export function listSecrets({ accessToken, refreshToken, client }: Login): readonly string[] {
  return [accessToken, refreshToken, client.clientSecret].filter((one) => one !== undefined);
}

/** A kept login. One that this haft can't read is none. */
export function parseLogin(text: string): Login | undefined {
  const kept = parseJson(text);
  if (!isRecord(kept) || kept["haftLogin"] !== 1 || !isRecord(kept["login"])) return undefined;
  const { server, accessToken, authorizationServer, client } = kept["login"];
  const isOne = typeof server === "string" && typeof accessToken === "string";
  return isOne && isRecord(authorizationServer) && isRecord(client)
    ? (kept["login"] as unknown as Login)
    : undefined;
}

/** Writes a login as the text that {@link parseLogin} reads. It holds tokens: keep it where secrets are kept. */
export function formatLogin(login: Login): string {
  return JSON.stringify({ haftLogin: 1, login });
}
