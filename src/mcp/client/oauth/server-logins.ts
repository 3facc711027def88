import { type Clock, systemClock } from "../../../base/index.ts";
import type { Connector } from "../../../host/index.ts";
import type { SecretSource } from "../../../kernel/index.ts";
import { McpError } from "../../errors.ts";
import type { McpServerConfig } from "../config.ts";
import type { AuthProviders } from "../ports.ts";
import { createAuthFetch } from "./auth-fetch.ts";
import { loginFailed } from "./faults.ts";
import type { LoginPerson } from "./grant.ts";
import { logIn } from "./log-in.ts";
import { type Login, type LoginStore, listSecrets, type Tokens } from "./login.ts";
import { readCredentials } from "./oauth-client.ts";
import { ServerTokens } from "./server-tokens.ts";
import { postForm, requestTokens, type TokenDesk } from "./token-request.ts";

/** The store of logins, and the connector over which they are made. */
export interface ServerLoginsOptions {
  readonly store: LoginStore;
  readonly connector: Pick<Connector, "open">;
  readonly secrets?: SecretSource;
  /** Told of each token before anybody else has it. */
  readonly learnSecret?: (name: string, value: string) => void;
  readonly clock?: Clock;
  /** Told of what no call can carry. */
  readonly onError?: (server: string, error: unknown) => void;
}

/** What may be known of a login. */
export interface LoginInfo {
  readonly issuer: string;
  readonly scope?: string;
  /** Unix ms. Absent: the server said nothing of an end. */
  readonly expiresAt?: number;
  /** It goes on past that by itself. */
  readonly renews: boolean;
}

/** How one login goes. */
export interface LogInChoice {
  readonly person?: LoginPerson;
  /** Whether to log in with a code, for a browser on another device. @default as the server's `auth` says */
  readonly device?: boolean;
  /** The scope to ask for beside what the server says it needs, and what there was before. */
  readonly scope?: string;
  readonly signal?: AbortSignal;
}

/**
 * Logs in to MCP servers over HTTP (OAuth 2.1, as MCP has it), and keeps and renews their tokens.
 *
 * @example
 * ```ts
 * const logins = new Map<string, Login>();
 * const store: LoginStore = {
 *   read: ({ name }) => logins.get(name),
 *   write: ({ name }, login) => void logins.set(name, login),
 *   remove: ({ name }) => logins.delete(name),
 * };
 * const { servers } = readServers({ docs: { url: "https://mcp.example.com/" } });
 * const known = new ServerLogins({ store, connector: createConnector() });
 * for (const server of servers) await known.info(server); // → undefined
 * ```
 */
export class ServerLogins {
  readonly #options: ServerLoginsOptions;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, ServerTokens>();

  constructor(options: ServerLoginsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** None for a server that brings its own Authorization header, unless its `auth` says otherwise. */
  readonly providers: AuthProviders = (server) => {
    if (!hasUrl(server)) return undefined;
    const brings = Object.keys(server.headers ?? {}).some((name) => name.toLowerCase() === "authorization");
    if (brings && server.auth === undefined) return undefined;
    const key = toKey(server);
    let provider = this.#tokens.get(key);
    if (provider === undefined) {
      provider = this.#openTokens(server);
      this.#tokens.set(key, provider);
    }
    return { provider };
  };

  /**
   * Logs in to a server, and keeps what that leaves in place of what was there.
   *
   * @throws {McpError} MCP_LOGIN_FAILED; MCP_CONFIG where there is nothing to log in to.
   */
  async logIn(server: McpServerConfig, choice: LogInChoice = {}): Promise<LoginInfo> {
    const there = checkUrl(server);
    const { person, device = false, scope, signal = never } = choice;
    const { store } = this.#options;
    const before = await this.#read(there);
    const sdk = await import("../sdk.ts");
    const wanted = scope === undefined ? undefined : sdk.computeScopeUnion(before?.scope, scope);
    const login = await logIn({
      ...this.#parts(there, signal),
      grant: device ? "device_code" : (server.auth?.type ?? "authorization_code"),
      scope: wanted,
      ...(person !== undefined && { person }),
    });
    await store.write(server, login);
    this.#tokens.get(toKey(there))?.reread();
    return toInfo(login);
  }

  /** Forgets a login, and tells its authorization server so where that wants to know (RFC 7009). Undefined: there was none. */
  async logOut(server: McpServerConfig): Promise<{ readonly revoked: boolean } | undefined> {
    const there = checkUrl(server);
    const login = await this.#read(there);
    const wasThere = await this.#options.store.remove(server);
    this.#tokens.get(toKey(there))?.reread();
    if (login === undefined) return wasThere ? { revoked: false } : undefined;
    return { revoked: await this.#revoke(there, login) };
  }

  /** Undefined: nobody has logged in. */
  async info(server: McpServerConfig): Promise<LoginInfo | undefined> {
    const login = hasUrl(server) ? await this.#read(server) : undefined;
    return login === undefined ? undefined : toInfo(login);
  }

  #openTokens(server: HttpServer): ServerTokens {
    const { store, onError } = this.#options;
    const isOwn = server.auth?.type === "client_credentials";
    return new ServerTokens({
      server,
      store: isOwn ? this.#openStore(server) : store,
      clock: this.#clock,
      learn: this.#learn(server),
      refresh: (login, refreshToken) => this.#refresh(server, login, refreshToken),
      logIn: isOwn
        ? () => logIn({ ...this.#parts(server, never), grant: "client_credentials", scope: undefined })
        : undefined,
      onError: (error) => onError?.(server.name, error),
    });
  }

  /** Only what the configuration's own client was given. */
  #openStore(server: HttpServer): LoginStore {
    const { store } = this.#options;
    const { clientId, issuer } = server.auth ?? {};
    const belongsTo = ({ grant, client, authorizationServer }: Login) =>
      grant === "client_credentials" &&
      client.clientId === clientId &&
      (issuer === undefined || authorizationServer.issuer === issuer);
    return {
      read: async (one) => {
        const login = await store.read(one);
        return login !== undefined && belongsTo(login) ? login : undefined;
      },
      write: (one, login) => store.write(one, login),
      remove: (one) => store.remove(one),
    };
  }

  async #refresh(server: HttpServer, login: Login, refreshToken: string): Promise<Tokens> {
    const desk = await this.#deskFor(server, login);
    return requestTokens(desk, { grant_type: "refresh_token", refresh_token: refreshToken });
  }

  async #revoke(server: HttpServer, login: Login): Promise<boolean> {
    const endpoint = login.authorizationServer.revocation_endpoint;
    if (endpoint === undefined) return false;
    const { accessToken, refreshToken } = login;
    try {
      const desk = await this.#deskFor(server, login);
      if (refreshToken !== undefined)
        await postForm(desk, endpoint, { token: refreshToken, token_type_hint: "refresh_token" });
      await postForm(desk, endpoint, { token: accessToken, token_type_hint: "access_token" });
      return true;
    } catch (error) {
      this.#options.onError?.(server.name, error);
      return false;
    }
  }

  /** The desk of the authorization server that the login is of, whatever the server says by now. */
  async #deskFor(server: HttpServer, login: Login): Promise<TokenDesk> {
    const { authorizationServer, resource, client } = login;
    const parts = this.#parts(server, never);
    const sdk = await import("../sdk.ts");
    const { fetch, allow } = createAuthFetch(parts);
    allow(authorizationServer.issuer);
    const { authenticate } = await readCredentials(sdk, server, parts.secrets, (_name, value) =>
      parts.learn(value),
    );
    return { ...parts, sdk, name: server.name, fetch, authorizationServer, resource, client, authenticate };
  }

  async #read(server: HttpServer): Promise<Login | undefined> {
    const login = await this.#options.store.read(server);
    for (const value of login === undefined ? [] : listSecrets(login)) this.#learn(server)(value);
    return login?.server === server.url ? login : undefined;
  }

  #parts(server: HttpServer, signal: AbortSignal) {
    const { connector, secrets } = this.#options;
    return { server, connector, secrets, signal, clock: this.#clock, learn: this.#learn(server) };
  }

  #learn({ name }: McpServerConfig): (value: string) => void {
    return (value) => this.#options.learnSecret?.(`login to ${name}`, value);
  }
}

/** What nobody cancels; the fetch has its own deadline. */
const never = new AbortController().signal;

type HttpServer = McpServerConfig & { readonly url: string };

function toKey({ name, url, auth }: HttpServer): string {
  return JSON.stringify([name, url, auth ?? null]);
}

function hasUrl(server: McpServerConfig): server is HttpServer {
  return server.url !== undefined;
}

function checkUrl(server: McpServerConfig): HttpServer {
  if (!hasUrl(server)) {
    throw new McpError(
      "MCP_CONFIG",
      `Cannot log in to the MCP server "${server.name}": it is a program that haft starts, and gets what it needs by "env"`,
      { details: { server: server.name } },
    );
  }
  if (URL.canParse(server.url)) return server;
  throw loginFailed(server.name, 'its "url" can\'t be read; correct it');
}

function toInfo({ authorizationServer, scope, expiresAt, refreshToken, grant }: Login): LoginInfo {
  return {
    issuer: authorizationServer.issuer,
    ...(scope !== undefined && { scope }),
    ...(expiresAt !== undefined && { expiresAt }),
    renews: refreshToken !== undefined || grant === "client_credentials",
  };
}
