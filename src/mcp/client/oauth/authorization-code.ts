import { randomBytes, timingSafeEqual } from "node:crypto";
import { knownWord, loginFailed } from "./faults.ts";
import type { GrantContext, LoginPerson } from "./grant.ts";
import type { OAuthClient, Tokens } from "./login.ts";
import { clientFor } from "./oauth-client.ts";
import { pause } from "./pause.ts";
import { openRedirectListener } from "./redirect-listener.ts";
import { requestTokens, type TokenDesk } from "./token-request.ts";

const patienceMs = 600_000;
const codeForm = /^[\x20-\x7e]{1,4096}$/;

/**
 * A person logs in with a browser that comes back to this machine (RFC 6749 4.1, RFC 7636, RFC 8252). The answer has to
 * carry the state of this login, and come from the authorization server that was asked (RFC 9207).
 *
 * @throws {McpError} MCP_LOGIN_FAILED
 */
export async function grantByCode(
  context: GrantContext,
  person: LoginPerson,
): Promise<{ readonly client: OAuthClient; readonly tokens: Tokens }> {
  const { sdk, server, authorizationServer, resource, scope, learn } = context;
  const state = randomBytes(32).toString("base64url");
  const listener = await openRedirectListener({
    redirectUri: server.auth?.redirectUri,
    isOurs: (params) => isSame(params.getAll("state"), state),
  });
  try {
    const { redirectUri } = listener;
    const client = await clientFor({ ...context, grant: "authorization_code", redirectUris: [redirectUri] });
    if (client.clientSecret !== undefined) learn(client.clientSecret);
    const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(authorizationServer.issuer, {
      metadata: authorizationServer,
      clientInformation: { client_id: client.clientId },
      redirectUrl: redirectUri,
      state,
      resource,
      ...(scope !== undefined && { scope }),
    });
    learn(codeVerifier);
    const params = await waitForAnswer(context, person, {
      url: authorizationUrl,
      redirectUri,
      state,
      answer: listener.answer,
    });
    const code = codeIn(context, params);
    learn(code);
    const desk: TokenDesk = {
      ...context,
      name: server.name,
      client,
      authenticate: context.credentials.authenticate,
    };
    const grant = sdk.prepareAuthorizationCodeRequest(code, codeVerifier, redirectUri);
    return { client, tokens: await requestTokens(desk, Object.fromEntries(grant)) };
  } finally {
    await listener.close();
  }
}

interface Waiting {
  readonly url: URL;
  readonly redirectUri: string;
  readonly state: string;
  readonly answer: Promise<URLSearchParams>;
}

/** Waits for the answer that comes by the browser, or by hand from one that runs on another machine. */
async function waitForAnswer(
  { server, clock, signal }: GrantContext,
  person: LoginPerson,
  { url, redirectUri, state, answer }: Waiting,
): Promise<URLSearchParams> {
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const tooLong = pause(clock, patienceMs, both).then(() => {
    throw loginFailed(server.name, `nobody logged in within ${patienceMs / 60_000} minutes; try again`);
  });
  const pasted = new Promise<URLSearchParams>((resolve, reject) => {
    const paste = async () => {
      await person.showAuthorization({ url, redirectUri, signal: both });
      const text = await person.paste?.(both);
      if (text !== undefined) resolve(readPasted(server.name, text, redirectUri, state));
    };
    paste().catch(reject);
  });
  try {
    return await Promise.race([answer, pasted, tooLong]);
  } finally {
    for (const other of [pasted, tooLong]) other.catch(() => undefined);
    over.abort();
  }
}

/**
 * The parameters of an address that a person pasted.
 *
 * @throws {McpError} MCP_LOGIN_FAILED for an address that is not where this login ends.
 */
function readPasted(server: string, text: string, redirectUri: string, state: string): URLSearchParams {
  const url = URL.parse(text.trim());
  if (url === null || `${url.origin}${url.pathname}` !== redirectUri)
    throw loginFailed(
      server,
      `what you pasted does not begin with ${redirectUri}; paste the whole address that the browser ended at`,
    );
  if (!isSame(url.searchParams.getAll("state"), state))
    throw loginFailed(
      server,
      "what you pasted is of another login; log in anew, and paste the address that this one ends at",
    );
  return url.searchParams;
}

/** @throws {McpError} MCP_LOGIN_FAILED for an answer of another authorization server, and for a no. */
function codeIn({ sdk, server, authorizationServer }: GrantContext, params: URLSearchParams): string {
  const { issuer, authorization_response_iss_parameter_supported: issParameterSupported = false } =
    authorizationServer;
  const issuers = params.getAll("iss");
  try {
    sdk.validateAuthorizationResponseIssuer({
      iss: issuers[0],
      expectedIssuer: issuer,
      issParameterSupported,
    });
  } catch {
    throw mixedUp(server.name);
  }
  if (issuers.length > 1) throw mixedUp(server.name);
  const error = params.get("error");
  if (error !== null) {
    const word = knownWord(error);
    throw loginFailed(server.name, `its authorization server said no (${word}); try again`, { error: word });
  }
  const codes = params.getAll("code");
  if (codes.length === 1 && codeForm.test(codes[0] as string)) return codes[0] as string;
  throw loginFailed(server.name, "the browser came back without a code; try again");
}

function mixedUp(server: string): Error {
  return loginFailed(
    server,
    "the answer is not from the authorization server that was asked, as in a mix-up of two servers; do not use this server before you know why",
  );
}

function isSame(given: readonly string[], wanted: string): boolean {
  const [one = "", ...more] = given;
  const bytes = Buffer.from(one);
  const wantedBytes = Buffer.from(wanted);
  return more.length === 0 && bytes.length === wantedBytes.length && timingSafeEqual(bytes, wantedBytes);
}
