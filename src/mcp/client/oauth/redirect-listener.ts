import { randomBytes } from "node:crypto";
import { openListener } from "../../../host/index.ts";

export interface RedirectListener {
  /** What the authorization server is to send the browser to. */
  readonly redirectUri: string;
  /** What it came back with, the first time that `isOurs`; other visits are turned away. */
  readonly answer: Promise<URLSearchParams>;
  close(): Promise<void>;
}

export interface RedirectListenerOptions {
  /**
   * The address to redirect to, with a port and a path of its own. @default a free port of 127.0.0.1, and a
   * path that nobody can guess
   */
  readonly redirectUri?: string | undefined;
  readonly isOurs: (params: URLSearchParams) => boolean;
}

const page = (text: string) =>
  `<!doctype html><meta charset="utf-8"><title>haft</title><p style="font:1.2em system-ui;margin:3em">${text}</p>`;
const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  connection: "close",
};

/** Waits on loopback for a browser that comes back from an authorization server. */
export async function openRedirectListener({
  redirectUri,
  isOurs,
}: RedirectListenerOptions): Promise<RedirectListener> {
  const fixed = redirectUri === undefined ? undefined : new URL(redirectUri);
  const path = fixed?.pathname ?? `/${randomBytes(16).toString("base64url")}`;
  let answer: (params: URLSearchParams) => void = () => undefined;
  const answered = new Promise<URLSearchParams>((resolve) => {
    answer = resolve;
  });
  const listener = await openListener({
    port: fixed === undefined ? 0 : Number(fixed.port),
    maxConnections: 32,
    handler: ({ method, url }, response) => {
      const visited = URL.parse(url ?? "", "http://127.0.0.1");
      if (method !== "GET" || visited?.pathname !== path) {
        response.writeHead(404, headers).end(page("There is nothing here."));
      } else if (isOurs(visited.searchParams)) {
        response.writeHead(200, headers).end(page("Go back to haft: you can close this page."));
        answer(visited.searchParams);
      } else {
        response.writeHead(400, headers).end(page("This is not the login that haft waits for."));
      }
    },
  });
  return {
    redirectUri: redirectUri ?? `${listener.url}${path}`,
    answer: answered,
    close: () => listener.close(500),
  };
}
