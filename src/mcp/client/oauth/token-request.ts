import type { AddClientAuthentication, FetchLike, OAuthClientProvider } from "@modelcontextprotocol/client";
import { type Clock, cutHead } from "../../../base/index.ts";
import type * as mcp from "../sdk.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { isOwn, knownWord, loginFailed } from "./faults.ts";
import type { OAuthClient, Tokens } from "./login.ts";

/** What is the same for all requests of one login to its authorization server. */
export interface TokenDesk {
  readonly sdk: typeof mcp;
  /** The server's name. */
  readonly name: string;
  readonly fetch: FetchLike;
  readonly clock: Clock;
  readonly authorizationServer: AuthorizationServer;
  readonly resource: string;
  readonly client: OAuthClient;
  /** What authenticates haft in place of the client's secret. */
  readonly authenticate?: AddClientAuthentication | undefined;
  /** Told of each secret before anybody else has it. */
  readonly learn: (value: string) => void;
}

const maxTokenChars = 16_384;
const tokenForm = /^[\x21-\x7e]+$/;

/**
 * Exchanges a grant for tokens.
 *
 * @throws {McpError} MCP_LOGIN_FAILED; `readRefusal` reads the authorization server's word for it.
 */
export async function requestTokens(
  desk: TokenDesk,
  grant: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const { sdk, name, fetch, clock, authorizationServer, resource, learn } = desk;
  let given: Awaited<ReturnType<(typeof mcp)["fetchToken"]>>;
  try {
    given = await sdk.fetchToken(makeProvider(desk, grant), authorizationServer.issuer, {
      metadata: authorizationServer,
      resource,
      fetchFn: fetch,
    });
  } catch (error) {
    throw toLoginError(desk, error);
  }
  const {
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: seconds,
    token_type: type,
    scope,
  } = given;
  learn(accessToken);
  if (refreshToken !== undefined) learn(refreshToken);
  if (type.toLowerCase() !== "bearer")
    throw loginFailed(
      name,
      `it was given a token of a kind that haft can't use, "${cutHead(type.replace(/[^\w-]/g, "?"), 40)}"`,
    );
  if (
    ![accessToken, refreshToken ?? "x"].every(
      (token) => tokenForm.test(token) && token.length <= maxTokenChars,
    )
  )
    throw loginFailed(name, "it was given a token that fits in no header; report it to whoever runs it");
  return {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(seconds !== undefined &&
      Number.isFinite(seconds) && { expiresAt: clock.now() + Math.max(0, seconds) * 1000 }),
    ...(scope !== undefined && { scope }),
  };
}

/**
 * Sends a form to an endpoint beside the token endpoint, as the same client.
 *
 * @throws {McpError} MCP_LOGIN_FAILED
 */
export async function postForm(
  desk: TokenDesk,
  endpoint: string,
  form: Readonly<Record<string, string>>,
): Promise<Response> {
  const { sdk, authorizationServer, client, authenticate } = desk;
  const headers = new Headers({
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  });
  const params = new URLSearchParams(form);
  if (authenticate !== undefined) await authenticate(headers, params, endpoint, authorizationServer);
  else {
    const supported = authorizationServer.token_endpoint_auth_methods_supported ?? [];
    const method = sdk.selectClientAuthMethod(toInformation(desk), supported);
    const { clientId, clientSecret = "" } = client;
    if (method === "client_secret_basic")
      headers.set("authorization", `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`);
    else params.set("client_id", clientId);
    if (method === "client_secret_post") params.set("client_secret", clientSecret);
  }
  const answer = await desk.fetch(endpoint, { method: "POST", headers, body: params.toString() });
  if (answer.ok) return answer;
  const word: unknown = await answer.json().then(
    (body: unknown) => Object(body).error,
    () => undefined,
  );
  throw toLoginError(desk, { name: "OAuthError", code: word });
}

function makeProvider(desk: TokenDesk, grant: Readonly<Record<string, string>>): OAuthClientProvider {
  const unused = () => {
    throw new TypeError("This is for one token request only");
  };
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => toInformation(desk),
    prepareTokenRequest: () => new URLSearchParams(grant),
    tokens: () => undefined,
    saveTokens: unused,
    redirectToAuthorization: unused,
    saveCodeVerifier: unused,
    codeVerifier: unused,
    ...(desk.authenticate !== undefined && { addClientAuthentication: desk.authenticate }),
  };
}

function toInformation({
  client,
  authorizationServer,
}: TokenDesk): Record<string, string> & { client_id: string } {
  return {
    client_id: client.clientId,
    issuer: authorizationServer.issuer,
    ...(client.clientSecret !== undefined && { client_secret: client.clientSecret }),
    ...(client.authMethod !== undefined && { token_endpoint_auth_method: client.authMethod }),
  };
}

/** Keeps no cause: what the package throws repeats the answer. */
function toLoginError({ name, authorizationServer }: TokenDesk, error: unknown): unknown {
  if (isOwn(error)) return error;
  const { origin } = new URL(authorizationServer.issuer);
  if (Object(error).name !== "OAuthError")
    return loginFailed(
      name,
      `the answer of its authorization server ${origin} can't be used; report it to whoever runs it`,
    );
  const word = knownWord(Object(error).code);
  return loginFailed(
    name,
    `its authorization server ${origin} refused it (${word})${remedies[word] ?? "; try again"}`,
    {
      error: word,
    },
  );
}

const remedies: Readonly<Record<string, string>> = {
  access_denied: ": somebody said no",
  expired_token: ": nobody confirmed it in time; try again",
  invalid_client: '; see whether "clientId" and "clientSecret" of its "auth" are right',
  invalid_scope: '; ask for another "scope"',
  unauthorized_client: '; see what "clientId" of its "auth" may do there',
};
