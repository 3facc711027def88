import type { OAuthMetadata, OAuthProtectedResourceMetadata } from "@modelcontextprotocol/client";
import type { McpServerConfig } from "../config.ts";
import { said } from "../faults.ts";
import type * as mcp from "../sdk.ts";
import { type AuthFetch, checkScheme } from "./auth-fetch.ts";
import { isOwn, loginFailed } from "./faults.ts";

/** What is used of an authorization server's metadata (RFC 8414), each address of it checked. */
export type AuthorizationServer = Pick<
  OAuthMetadata,
  | "issuer"
  | "authorization_endpoint"
  | "token_endpoint"
  | "registration_endpoint"
  | "revocation_endpoint"
  | "response_types_supported"
  | "code_challenge_methods_supported"
  | "token_endpoint_auth_methods_supported"
  | "scopes_supported"
  | "authorization_response_iss_parameter_supported"
  | "client_id_metadata_document_supported"
> & { readonly device_authorization_endpoint?: string };

/** What a server says with a 401. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

/** The authorization server on which to log in for a server, and what it is asked for. */
export interface Found {
  readonly authorizationServer: AuthorizationServer;
  /** The name by which the server calls itself. */
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
}

const endpoints = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "device_authorization_endpoint",
] as const;

/**
 * Finds the authorization server of an MCP server (RFC 9728, RFC 8414). Whatever either of them says, all of it lies
 * at the authorization server's own origin or at a host of `auth.hosts`: an address elsewhere would let one server
 * have what is meant for another.
 *
 * @throws {McpError} MCP_LOGIN_FAILED
 */
export async function findAuthorizationServer(
  sdk: typeof mcp,
  server: McpServerConfig & { readonly url: string },
  { fetch, allow }: AuthFetch,
  challenge: Challenge,
): Promise<Found> {
  const resourceMetadata = await readResource(sdk, server, fetch, challenge);
  const url = issuerFor(server, resourceMetadata);
  const resource = await findResource(sdk, server, resourceMetadata);
  allow(url);
  const metadata = await readMetadata(sdk, server.name, url, fetch);
  const authorizationServer = checked(server, metadata);
  return { authorizationServer, resource, scopes: resourceMetadata?.scopes_supported };
}

async function readResource(
  sdk: typeof mcp,
  { name, url }: McpServerConfig & { readonly url: string },
  fetch: AuthFetch["fetch"],
  { resourceMetadataUrl }: Challenge,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  if (resourceMetadataUrl !== undefined && resourceMetadataUrl.origin !== new URL(url).origin) {
    throw loginFailed(
      name,
      `it describes itself at another place, ${said(resourceMetadataUrl.origin)}; report it to whoever runs it`,
    );
  }
  try {
    const options = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
    return await sdk.discoverOAuthProtectedResourceMetadata(url, options, fetch);
  } catch (error) {
    if (isOwn(error)) throw error;
    // Servers from before RFC 9728 are their own authorization server.
    if (resourceMetadataUrl === undefined) return undefined;
    throw loginFailed(name, "its description of itself can't be read; report it to whoever runs it");
  }
}

function issuerFor(
  { name, url, auth }: McpServerConfig & { readonly url: string },
  metadata: OAuthProtectedResourceMetadata | undefined,
): string {
  const offered = metadata?.authorization_servers?.map(String) ?? [new URL("/", url).href];
  if (auth?.issuer === undefined) return offered[0] ?? new URL("/", url).href;
  if (offered.some((one) => withoutSlash(one) === withoutSlash(auth.issuer as string))) return auth.issuer;
  throw loginFailed(
    name,
    `it sends you to "${said(offered[0])}", and your configuration has the issuer "${auth.issuer}"; see which of them is right`,
  );
}

function withoutSlash(url: string): string {
  return url.endsWith("/") ? url.slice(0, -1) : url;
}

async function findResource(
  sdk: typeof mcp,
  { name, url }: McpServerConfig & { readonly url: string },
  metadata: OAuthProtectedResourceMetadata | undefined,
): Promise<string> {
  const own = sdk.resourceUrlFromServerUrl(url);
  if (metadata === undefined) return withoutSlash(own.href);
  if (sdk.checkResourceAllowed({ requestedResource: own, configuredResource: metadata.resource }))
    return metadata.resource;
  throw loginFailed(
    name,
    `it says that it is another server, "${said(metadata.resource)}"; check the "url" you have for it`,
  );
}

async function readMetadata(
  sdk: typeof mcp,
  server: string,
  url: string,
  fetch: AuthFetch["fetch"],
): Promise<OAuthMetadata> {
  try {
    const metadata = await sdk.discoverAuthorizationServerMetadata(url, { fetchFn: fetch });
    if (metadata !== undefined) return metadata as OAuthMetadata;
  } catch (error) {
    if (isOwn(error)) throw error;
    const isOther = error instanceof sdk.IssuerMismatchError;
    const why = isOther ? "says that it is another one" : "describes itself in a way that can't be used";
    throw loginFailed(server, `its authorization server "${said(url)}" ${why}; report it to whoever runs it`);
  }
  throw loginFailed(
    server,
    `its authorization server "${said(url)}" has no metadata; give the server "headers" with a token in place of a login`,
  );
}

function checked(server: McpServerConfig, metadata: OAuthMetadata): AuthorizationServer {
  const { name } = server;
  const given = metadata as unknown as Record<string, unknown>;
  const issuer = new URL(metadata.issuer);
  for (const endpoint of endpoints) {
    const address = given[endpoint];
    if (address === undefined) continue;
    const url = typeof address === "string" ? URL.parse(address) : null;
    if (url === null || url.username !== "" || url.password !== "")
      throw loginFailed(
        name,
        `its authorization server gives no usable ${endpoint}; report it to whoever runs it`,
      );
    checkScheme(name, url);
    if (url.origin !== issuer.origin && !isNamed(server, url)) {
      throw loginFailed(
        name,
        `its authorization server ${issuer.origin} has its ${endpoint} at another place, ${url.origin}; if both are of one owner, add "${url.host}" to its "auth" as "hosts"`,
      );
    }
  }
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true) {
    throw loginFailed(
      name,
      `its authorization server ${issuer.origin} does not offer PKCE with S256, without which a stolen code could be used; report it to whoever runs it`,
    );
  }
  return pick(given);
}

/**
 * Whether the host is named by its own name: what a pattern covers is not what an owner says of one
 * authorization server.
 */
function isNamed({ auth }: McpServerConfig, { host, hostname }: URL): boolean {
  return (auth?.hosts ?? []).some((one) => one.toLowerCase() === host || one.toLowerCase() === hostname);
}

const fields = [
  "issuer",
  ...endpoints,
  "response_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "scopes_supported",
  "authorization_response_iss_parameter_supported",
  "client_id_metadata_document_supported",
] as const;

function pick(metadata: Readonly<Record<string, unknown>>): AuthorizationServer {
  const picked = fields
    .filter((field) => metadata[field] !== undefined)
    .map((field) => [field, metadata[field]]);
  return Object.fromEntries(picked) as AuthorizationServer;
}
