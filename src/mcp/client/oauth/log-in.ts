import type { Clock } from "../../../base/index.ts";
import type { Connector } from "../../../host/index.ts";
import type { SecretSource } from "../../../kernel/index.ts";
import type { McpServerConfig } from "../config.ts";
import type * as mcp from "../sdk.ts";
import type { GrantType } from "./auth-config.ts";
import { type AuthFetch, createAuthFetch } from "./auth-fetch.ts";
import { grantByCode } from "./authorization-code.ts";
import {
  type AuthorizationServer,
  type Challenge,
  type Found,
  findAuthorizationServer,
} from "./authorization-server.ts";
import { grantByDevice } from "./device-code.ts";
import { loginFailed } from "./faults.ts";
import type { GrantContext, LoginPerson } from "./grant.ts";
import type { Login, OAuthClient, Tokens } from "./login.ts";
import { readCredentials } from "./oauth-client.ts";
import { requestTokens } from "./token-request.ts";

export interface LogInOptions {
  readonly server: McpServerConfig & { readonly url: string };
  readonly connector: Pick<Connector, "open">;
  readonly secrets: SecretSource | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly learn: (value: string) => void;
  readonly grant: GrantType;
  /** Asked for beside what the server says it needs. */
  readonly scope: string | undefined;
  /** Absent only where the grant needs nobody. */
  readonly person?: LoginPerson;
}

/**
 * Finds out where to log in for a server, and does it. Nothing is kept here.
 *
 * @throws {McpError} MCP_LOGIN_FAILED; MCP_CONFIG for a secret that is not stored.
 */
export async function logIn(options: LogInOptions): Promise<Login> {
  const { server, connector, clock, signal, learn, grant, secrets, person } = options;
  const sdk = await import("../sdk.ts");
  const authFetch = createAuthFetch({ server, connector, clock, signal });
  const challenge = await readChallenge(sdk, authFetch);
  const found = await findAuthorizationServer(sdk, server, authFetch, challenge);
  const { authorizationServer, resource } = found;
  if (grant === "client_credentials") checkReceiver(server, authorizationServer);
  const context: GrantContext = {
    sdk,
    server,
    fetch: authFetch.fetch,
    clock,
    signal,
    learn,
    authorizationServer,
    resource,
    scope: sdk.computeScopeUnion(scopeFor(server, grant, challenge, found), options.scope),
    credentials: await readCredentials(sdk, server, secrets, (_name, value) => learn(value)),
  };
  const { client, tokens } = await getTokens(context, grant, person);
  return {
    server: server.url,
    grant,
    authorizationServer,
    resource,
    client,
    ...tokens,
    ...(tokens.scope === undefined && context.scope !== undefined && { scope: context.scope }),
  };
}

async function getTokens(
  context: GrantContext,
  grant: GrantType,
  person: LoginPerson | undefined,
): Promise<{ readonly client: OAuthClient; readonly tokens: Tokens }> {
  if (grant === "client_credentials") return grantToClient(context);
  if (person === undefined) throw new TypeError(`A login by ${grant} needs a person`);
  return grant === "device_code" ? grantByDevice(context, person) : grantByCode(context, person);
}

/** haft logs in as itself. */
async function grantToClient(context: GrantContext): Promise<{ client: OAuthClient; tokens: Tokens }> {
  const { server, scope, credentials } = context;
  const { clientSecret, authenticate } = credentials;
  const client = {
    clientId: server.auth?.clientId ?? "",
    ...(clientSecret !== undefined && { clientSecret }),
  };
  const grant = { grant_type: "client_credentials", ...(scope !== undefined && { scope }) };
  return {
    client,
    tokens: await requestTokens({ ...context, name: server.name, client, authenticate }, grant),
  };
}

/** A server must not say who gets our own credentials. */
function checkReceiver(
  { name, url, auth }: McpServerConfig & { readonly url: string },
  { issuer }: AuthorizationServer,
): void {
  if (auth?.issuer !== undefined || new URL(issuer).origin === new URL(url).origin) return;
  throw loginFailed(
    name,
    `it sends your client's secret to ${new URL(issuer).origin}; if that is right, add "issuer": "${issuer}" to its "auth"`,
  );
}

/**
 * The scope that the server names in its challenge, or of itself; refreshing needs a scope of its own where
 * there is one.
 */
function scopeFor(
  { auth }: McpServerConfig,
  grant: GrantType,
  { scope }: Challenge,
  { scopes, authorizationServer }: Found,
): string | undefined {
  const wanted = auth?.scope ?? scope ?? (scopes?.length ? scopes.join(" ") : undefined);
  const refreshes =
    grant !== "client_credentials" && authorizationServer.scopes_supported?.includes("offline_access");
  if (wanted === undefined || !refreshes || wanted.split(" ").includes("offline_access")) return wanted;
  return `${wanted} offline_access`;
}

/** What a server of either era says to somebody without a token; one that lets everybody in at first says nothing. */
async function readChallenge(sdk: typeof mcp, { greet }: AuthFetch): Promise<Challenge> {
  for (const { headers, method, params } of hellos) {
    const answer = await greet(JSON.stringify({ jsonrpc: "2.0", id: 0, method, params }), headers);
    if (answer.status === 401 || answer.status === 403) return sdk.extractWWWAuthenticateParams(answer);
  }
  return {};
}

const clientInfo = { name: "haft", version: "0" };
const hellos = [
  {
    headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" },
    method: "server/discover",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": clientInfo,
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  },
  {
    headers: {},
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  },
];
