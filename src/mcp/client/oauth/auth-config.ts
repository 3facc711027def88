import { isRecord } from "../../../base/index.ts";

export const grantTypes = ["authorization_code", "device_code", "client_credentials"] as const;

/** The ways of OAuth by which haft gets a token. */
export type GrantType = (typeof grantTypes)[number];

/**
 * How haft gets in at a server over HTTP that asks who is there. Absent: a person logs in with a browser, as a client
 * that registers itself.
 */
export interface McpServerAuth {
  /**
   * `authorization_code`: a person, with a browser; `device_code`: a person, with a browser on any other device;
   * `client_credentials`: haft itself, with nobody there. @default "authorization_code"
   */
  readonly type?: GrantType;
  /**
   * The id by which the authorization server knows haft; an https:// address is that of a client's metadata.
   * @default it registers itself
   */
  readonly clientId?: string;
  /** `secret:NAME`. */
  readonly clientSecret?: string;
  /** A key in place of a secret: `secret:NAME` of a key in PKCS #8, which signs who haft is. */
  readonly privateKey?: string;
  /** The algorithm of that key. @default "ES256" */
  readonly algorithm?: string;
  /** What to ask for, parted by spaces. @default what the server says it needs */
  readonly scope?: string;
  /** The only authorization server that may be used. Client credentials go nowhere else than here or to the server itself. */
  readonly issuer?: string;
  /** Hosts of the authorization server that it is not named by, or that are not public: `auth.internal`, `127.0.0.1:9000`. */
  readonly hosts?: readonly string[];
  /** The address that the browser comes back to, if the client was registered with one: `http://127.0.0.1:8976/callback`. @default a free port, a random path */
  readonly redirectUri?: string;
}

export const authForm = '{ type, clientId, clientSecret, … } as in "Log in to MCP servers"';

const texts: ReadonlySet<string> = new Set([
  "clientId",
  "clientSecret",
  "privateKey",
  "algorithm",
  "scope",
  "issuer",
  "redirectUri",
]);

export function isServerAuth(value: unknown): value is McpServerAuth {
  return isRecord(value) && Object.entries(value).every(([key, one]) => fits(key, one)) && isWhole(value);
}

function fits(key: string, value: unknown): boolean {
  if (key === "type") return grantTypes.includes(value as GrantType);
  if (key === "hosts") return Array.isArray(value) && value.every((one) => typeof one === "string");
  return texts.has(key) && typeof value === "string" && value !== "";
}

function isWhole(auth: McpServerAuth): boolean {
  const proves = auth.clientSecret !== undefined || auth.privateKey !== undefined;
  if (auth.type === "client_credentials" && (auth.clientId === undefined || !proves)) return false;
  return auth.redirectUri === undefined || isLoopbackUrl(auth.redirectUri);
}

function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "http:" && url.port !== "" && ["127.0.0.1", "localhost"].includes(url.hostname);
}
