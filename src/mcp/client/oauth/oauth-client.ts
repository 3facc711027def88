import type { AddClientAuthentication, FetchLike } from "@modelcontextprotocol/client";
import { isRecord, parseJson } from "../../../base/index.ts";
import type { SecretSource } from "../../../kernel/index.ts";
import type { McpServerConfig } from "../config.ts";
import { fillSecrets } from "../fill-secrets.ts";
import type * as mcp from "../sdk.ts";
import type { GrantType } from "./auth-config.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { isOwn, knownWord, loginFailed } from "./faults.ts";
import type { OAuthClient } from "./login.ts";

/** How haft proves who it is. */
export interface Credentials {
  readonly clientSecret?: string;
  readonly authenticate?: AddClientAuthentication;
}

/**
 * The secrets of a server's `auth`, in place.
 *
 * @throws {McpError} MCP_CONFIG for one that is not stored.
 */
export async function readCredentials(
  sdk: typeof mcp,
  { name, auth = {} }: McpServerConfig,
  secrets: SecretSource | undefined,
  learn: (name: string, value: string) => void,
): Promise<Credentials> {
  const { clientId = "", clientSecret, privateKey, algorithm = "ES256" } = auth;
  const given = {
    ...(clientSecret !== undefined && { clientSecret }),
    ...(privateKey !== undefined && { privateKey }),
  };
  const filled = await fillSecrets(name, given, secrets, learn);
  // One that stands in the configuration as it is, is a secret too.
  for (const value of Object.values(filled)) learn(`login to ${name}`, value);
  const key = filled["privateKey"];
  return {
    ...(filled["clientSecret"] !== undefined && { clientSecret: filled["clientSecret"] }),
    ...(key !== undefined && {
      authenticate: sdk.createPrivateKeyJwtAuth({
        issuer: clientId,
        subject: clientId,
        privateKey: key,
        alg: algorithm,
      }),
    }),
  };
}

export interface ClientOptions {
  readonly sdk: typeof mcp;
  readonly server: McpServerConfig;
  readonly fetch: FetchLike;
  readonly authorizationServer: AuthorizationServer;
  readonly credentials: Credentials;
  readonly grant: GrantType;
  readonly redirectUris: readonly string[];
  readonly scope: string | undefined;
}

const grantNames: Readonly<Record<GrantType, string>> = {
  authorization_code: "authorization_code",
  device_code: "urn:ietf:params:oauth:grant-type:device_code",
  client_credentials: "client_credentials",
};

/**
 * The client that the owner named, or one that registers itself: anew for each login, since its redirect address is.
 *
 * @throws {McpError} MCP_LOGIN_FAILED
 */
export async function clientFor(options: ClientOptions): Promise<OAuthClient> {
  const { server, authorizationServer, credentials } = options;
  const { clientId } = server.auth ?? {};
  const isDocument = clientId?.startsWith("https://") === true;
  if (
    clientId !== undefined &&
    (!isDocument || authorizationServer.client_id_metadata_document_supported === true)
  ) {
    const { clientSecret } = credentials;
    return { clientId, ...(clientSecret !== undefined && { clientSecret }) };
  }
  return register(options);
}

async function register({
  sdk,
  server,
  fetch,
  authorizationServer,
  grant,
  redirectUris,
  scope,
}: ClientOptions): Promise<OAuthClient> {
  const { origin } = new URL(authorizationServer.issuer);
  if (authorizationServer.registration_endpoint === undefined) {
    throw loginFailed(
      server.name,
      `nobody can register at its authorization server ${origin}; register haft there by hand, and give the server "auth" with the "clientId"`,
    );
  }
  const methods = authorizationServer.token_endpoint_auth_methods_supported;
  const method = ["none", "client_secret_basic", "client_secret_post"].find((one) => methods?.includes(one));
  try {
    const made = await sdk.registerClient(authorizationServer.issuer, {
      metadata: authorizationServer,
      clientMetadata: {
        client_name: "haft",
        redirect_uris: [...redirectUris],
        grant_types: [grantNames[grant], "refresh_token"],
        response_types: grant === "authorization_code" ? ["code"] : [],
        application_type: "native",
        ...(method !== undefined && { token_endpoint_auth_method: method }),
      },
      ...(scope !== undefined && { scope }),
      fetchFn: fetch,
    });
    return {
      clientId: made.client_id,
      ...(made.client_secret !== undefined && { clientSecret: made.client_secret }),
      ...(made.token_endpoint_auth_method !== undefined && { authMethod: made.token_endpoint_auth_method }),
    };
  } catch (error) {
    if (isOwn(error)) throw error;
    const word =
      error instanceof sdk.RegistrationRejectedError ? wordIn(error.body) : "an answer that can't be used";
    throw loginFailed(
      server.name,
      `its authorization server ${origin} did not register haft (${word}); register it there by hand, and give the server "auth" with the "clientId"`,
    );
  }
}

function wordIn(body: string): string {
  const answer = parseJson(body);
  return knownWord(isRecord(answer) ? answer["error"] : undefined);
}
