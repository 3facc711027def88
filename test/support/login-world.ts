import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { type Clock, systemClock } from "../../src/base/index.ts";
import { createConnector } from "../../src/host/index.ts";
import {
  type Login,
  type LoginPerson,
  type LoginStore,
  type McpServerAuth,
  ServerLogins,
  type ServerLoginsOptions,
} from "../../src/mcp/index.ts";
import { type LoopbackServer, listenOnLoopback } from "./loopback.ts";
import { answerMcp } from "./plain-mcp.ts";

type Json = Record<string, unknown>;

/** How this world lies. Each gets what an honest server would say. */
export interface Twists {
  readonly resourceMetadata?: (honest: Json) => Json;
  readonly metadata?: (honest: Json) => Json;
  readonly challenge?: (honest: string) => string;
  /** In place of the token endpoint. */
  readonly token?: (form: URLSearchParams, response: ServerResponse) => void;
  /** In place of any endpoint of the authorization server, by its path. */
  readonly at?: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>;
  /** Gives the address that the browser is sent back to. */
  readonly back?: (honest: URL) => URL;
  /** Seconds that an access token lives. */
  readonly expiresIn?: number;
  readonly tokenFields?: Json;
  /** Seconds between questions whether a code for a device was typed. @default 5 */
  readonly interval?: number;
  /** A call asks for more than this scope has. */
  readonly neededScope?: string;
}

export interface Seen {
  readonly at: "mcp" | "as";
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
}

interface Issued {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly scope: string;
}

/** An MCP server that lets nobody in without a token, and an authorization server on another port that gives them. */
export class LoginWorld {
  readonly seen: Seen[] = [];
  /** Every value that nobody but the two sides may ever see. */
  readonly secrets: Set<string> = new Set();
  readonly access: Map<string, string> = new Map();
  readonly refresh: Set<string> = new Set();
  readonly devices: Map<string, "pending" | "confirmed"> = new Map();
  readonly #codes = new Map<string, Issued>();
  readonly #twists: Twists;
  mcp!: LoopbackServer;
  as!: LoopbackServer;

  private constructor(twists: Twists) {
    this.#twists = twists;
  }

  static async open(twists: Twists = {}): Promise<LoginWorld> {
    const world = new LoginWorld(twists);
    world.as = await listenOnLoopback((request, response) => world.#answerAs(request, response));
    world.mcp = await listenOnLoopback((request, response) => world.#answerMcp(request, response));
    return world;
  }

  get url(): string {
    return `${this.mcp.url}/mcp`;
  }

  /** As its owner configures it: this authorization server is on loopback, and meant to be. */
  server(auth: McpServerAuth = {}): { name: string; url: string; auth: McpServerAuth } {
    return { name: "world", url: this.url, auth: { hosts: [this.as.host], ...auth } };
  }

  of(path: string): Seen[] {
    return this.seen.filter((one) => one.path === path);
  }

  grants(): (string | null)[] {
    return this.of("/token").map(({ form }) => form.get("grant_type"));
  }

  make(kind: string): string {
    const value = `${kind}-${randomBytes(12).toString("hex")}`;
    this.secrets.add(value);
    return value;
  }

  async #note(at: Seen["at"], request: IncomingMessage): Promise<Seen & { body: string }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const seen = {
      at,
      method: request.method ?? "",
      path: new URL(request.url ?? "", "http://x").pathname,
      authorization: request.headers.authorization,
      form: new URLSearchParams(body.startsWith("{") ? "" : body),
      body,
    };
    this.seen.push(seen);
    return seen;
  }

  async #answerMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, authorization, body } = await this.#note("mcp", request);
    const { resourceMetadata, challenge, neededScope } = this.#twists;
    if (path === "/.well-known/oauth-protected-resource/mcp") {
      const honest = {
        resource: this.url,
        authorization_servers: [this.as.url],
        scopes_supported: ["tools"],
      };
      return send(response, 200, resourceMetadata?.(honest) ?? honest);
    }
    if (path !== "/mcp") return send(response, 404, {});
    const scope = this.access.get(authorization?.replace(/^Bearer /, "") ?? "");
    const honest = `Bearer resource_metadata="${this.mcp.url}/.well-known/oauth-protected-resource/mcp", scope="tools"`;
    if (scope === undefined) {
      response.setHeader("www-authenticate", challenge?.(honest) ?? honest);
      return send(response, 401, { error: "invalid_token" });
    }
    if (neededScope !== undefined && body.includes("tools/call") && !scope.split(" ").includes(neededScope)) {
      response.setHeader("www-authenticate", `Bearer error="insufficient_scope", scope="${neededScope}"`);
      return send(response, 403, {});
    }
    return answerMcp(body, response);
  }

  async #answerAs(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, form, body } = await this.#note("as", request);
    const { at, metadata, token } = this.#twists;
    const own = at?.[path];
    if (own !== undefined) return own(request, response);
    if (path === "/.well-known/oauth-authorization-server") {
      const honest = this.#metadata();
      return send(response, 200, metadata?.(honest) ?? honest);
    }
    if (path === "/register") {
      const asked = JSON.parse(body) as Json;
      return send(response, 201, { ...asked, client_id: `client-${randomBytes(4).toString("hex")}` });
    }
    if (path === "/authorize")
      return this.#authorize(new URL(request.url ?? "", this.as.url).searchParams, response);
    if (path === "/device") {
      const device = this.make("device");
      this.devices.set(device, "pending");
      const where = { verification_uri: `${this.as.url}/type`, user_code: "ABCD-EFGH" };
      return send(response, 200, {
        device_code: device,
        ...where,
        expires_in: 600,
        interval: this.#twists.interval ?? 5,
      });
    }
    if (path === "/revoke") {
      this.access.delete(form.get("token") ?? "");
      this.refresh.delete(form.get("token") ?? "");
      return send(response, 200, {});
    }
    if (path !== "/token") return send(response, 404, {});
    for (const secret of ["code_verifier", "client_secret"])
      if (form.has(secret)) this.secrets.add(form.get(secret) as string);
    return token === undefined ? this.#token(form, request, response) : token(form, response);
  }

  #metadata(): Json {
    const { url } = this.as;
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      registration_endpoint: `${url}/register`,
      revocation_endpoint: `${url}/revoke`,
      device_authorization_endpoint: `${url}/device`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  /** Everybody is let in at once. */
  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = this.make("code");
    const redirectUri = query.get("redirect_uri") ?? "";
    this.#codes.set(code, {
      challenge: query.get("code_challenge") ?? "",
      redirectUri,
      scope: query.get("scope") ?? "",
    });
    const honest = new URL(redirectUri);
    honest.searchParams.set("code", code);
    honest.searchParams.set("state", query.get("state") ?? "");
    honest.searchParams.set("iss", this.as.url);
    response.writeHead(302, { location: (this.#twists.back?.(honest) ?? honest).href }).end();
  }

  #token(form: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    const grant = form.get("grant_type");
    const refuse = (error: string) => send(response, 400, { error });
    if (grant === "authorization_code") {
      const code = this.#codes.get(form.get("code") ?? "");
      this.#codes.delete(form.get("code") ?? "");
      const hash = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (code === undefined || hash !== code.challenge || form.get("redirect_uri") !== code.redirectUri)
        return refuse("invalid_grant");
      return this.#give(response, code.scope, true);
    }
    if (grant === "refresh_token") {
      // Used once: each refresh gives the next one.
      return this.refresh.delete(form.get("refresh_token") ?? "")
        ? this.#give(response, "tools", true)
        : refuse("invalid_grant");
    }
    if (grant === "client_credentials") {
      const isKnown =
        request.headers.authorization === `Basic ${Buffer.from("robot:robot-secret-1").toString("base64")}`;
      return isKnown ? this.#give(response, "tools", false) : refuse("invalid_client");
    }
    const state = this.devices.get(form.get("device_code") ?? "");
    return state === "confirmed" ? this.#give(response, "tools", true) : refuse("authorization_pending");
  }

  #give(response: ServerResponse, scope: string, renews: boolean): void {
    const access = this.make("access");
    this.access.set(access, scope);
    const refresh = renews ? this.make("refresh") : undefined;
    if (refresh !== undefined) this.refresh.add(refresh);
    const { expiresIn = 3600, tokenFields = {} } = this.#twists;
    const given = {
      access_token: access,
      refresh_token: refresh,
      token_type: "Bearer",
      expires_in: expiresIn,
      scope,
    };
    send(response, 200, { ...given, ...tokenFields });
  }
}

export function send(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

export interface OpenedLogins {
  readonly logins: ServerLogins;
  readonly kept: Map<string, Login>;
  readonly learned: string[];
  readonly errors: unknown[];
}

/** Logins of one haft. Two of one `kept` are two that share a store. */
export function openLogins(
  options: Partial<ServerLoginsOptions> = {},
  kept: Map<string, Login> = new Map(),
  clock: Clock = systemClock,
): OpenedLogins {
  const connector = createConnector();
  onTestFinished(() => connector.close());
  const learned: string[] = [];
  const errors: unknown[] = [];
  const store: LoginStore = {
    read: async ({ name }) => kept.get(name),
    write: async ({ name }, login) => void kept.set(name, login),
    remove: async ({ name }) => kept.delete(name),
  };
  const logins = new ServerLogins({
    store,
    connector,
    clock,
    secrets: { get: async (_scope, name) => (name === "ROBOT" ? "robot-secret-1" : undefined) },
    learnSecret: (_name, value) => void learned.push(value),
    onError: (_server, error) => void errors.push(error),
    ...options,
  });
  return { logins, kept, learned, errors };
}

/** A person whose browser goes where it is sent. */
export function willing(): LoginPerson & { readonly shown: URL[] } {
  const shown: URL[] = [];
  return {
    shown,
    async showAuthorization({ url }) {
      shown.push(url);
      const answer = await fetch(url, { redirect: "manual" });
      const back = answer.headers.get("location");
      if (back !== null) await fetch(back);
    },
    showCode: () => undefined,
  };
}

/** The token that a request to the server would carry now. */
export async function requestToken(
  logins: ServerLogins,
  server: { name: string; url: string },
): Promise<string | undefined> {
  const auth = await logins.providers(server);
  return auth !== undefined && "token" in auth.provider ? auth.provider.token() : undefined;
}
