import { isRecord, parseJson } from "../../../base/index.ts";
import { checkScheme } from "./auth-fetch.ts";
import { loginFailed, readRefusal } from "./faults.ts";
import type { DeviceCode, GrantContext, LoginPerson } from "./grant.ts";
import type { OAuthClient, Tokens } from "./login.ts";
import { clientFor } from "./oauth-client.ts";
import { pause } from "./pause.ts";
import { postForm, requestTokens, type TokenDesk } from "./token-request.ts";

const grantType = "urn:ietf:params:oauth:grant-type:device_code";
const slowerMs = 5000;
const longestLifeMs = 1_800_000;

/**
 * A person logs in on any device that has a browser, with a short code (RFC 8628).
 *
 * @throws {McpError} MCP_LOGIN_FAILED
 */
export async function grantByDevice(
  context: GrantContext,
  person: LoginPerson,
): Promise<{ readonly client: OAuthClient; readonly tokens: Tokens }> {
  const { server, authorizationServer, clock, signal, scope, resource, learn, credentials } = context;
  const { name } = server;
  const endpoint = authorizationServer.device_authorization_endpoint;
  if (endpoint === undefined)
    throw loginFailed(name, "its authorization server gives no codes for devices; log in without `--device`");
  const client = await clientFor({ ...context, grant: "device_code", redirectUris: [] });
  if (client.clientSecret !== undefined) learn(client.clientSecret);
  const desk: TokenDesk = { ...context, name, client, authenticate: credentials.authenticate };
  const answer = await postForm(desk, endpoint, { resource, ...(scope !== undefined && { scope }) });
  const { deviceCode, intervalMs, ...shown } = readAnswer(context, await answer.text());
  learn(deviceCode);
  await person.showCode(shown);
  let waitMs = intervalMs;
  while (clock.now() + waitMs < shown.expiresAt) {
    await pause(clock, waitMs, signal);
    try {
      return {
        client,
        tokens: await requestTokens(desk, { grant_type: grantType, device_code: deviceCode }),
      };
    } catch (error) {
      const word = readRefusal(error);
      if (word === "slow_down") waitMs += slowerMs;
      else if (word !== "authorization_pending") throw error;
    }
  }
  throw loginFailed(name, "nobody typed the code in time; try again");
}

function readAnswer(
  { server, clock }: GrantContext,
  text: string,
): DeviceCode & { readonly deviceCode: string; readonly intervalMs: number } {
  const { name } = server;
  const answer = parseJson(text);
  const given = isRecord(answer) ? answer : {};
  const { device_code: deviceCode, user_code: userCode, expires_in: lifeSeconds, interval = 5 } = given;
  const url = addressIn(name, given["verification_uri"]);
  const completeUrl = addressIn(name, given["verification_uri_complete"]);
  const isWhole = typeof deviceCode === "string" && /^[\x21-\x7e]{1,4096}$/.test(deviceCode);
  if (!isWhole || url === undefined || typeof userCode !== "string" || !/^[\w -]{1,64}$/.test(userCode))
    throw loginFailed(
      name,
      "its authorization server gave no usable code for a device; report it to whoever runs it",
    );
  const lifeMs = Number(lifeSeconds) > 0 ? Number(lifeSeconds) * 1000 : longestLifeMs;
  return {
    deviceCode,
    userCode,
    url,
    ...(completeUrl !== undefined && { completeUrl }),
    expiresAt: clock.now() + Math.min(lifeMs, longestLifeMs),
    intervalMs: Math.min(Math.max(Number(interval) || 5, 1), 60) * 1000,
  };
}

function addressIn(server: string, text: unknown): URL | undefined {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (url === null) return undefined;
  checkScheme(server, url);
  return url;
}
