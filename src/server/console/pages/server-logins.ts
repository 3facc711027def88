import type { App } from "../../../app/index.ts";
import { getErrorMessage } from "../../../base/index.ts";
import type { LoginPerson, McpServerConfig } from "../../../mcp/index.ts";
import type { LoginState } from "../api/index.ts";

/** A login nobody finishes is given up after ten minutes. */
const mostMs = 600_000;

interface Login {
  state: LoginState;
  readonly stop: AbortController;
}

const logins = new WeakMap<App, Map<string, Login>>();

/** The login to a server that was begun last in this process. */
export function findLoginState(app: App, server: string): LoginState | undefined {
  return logins.get(app)?.get(server)?.state;
}

/**
 * Begins a login, in the place of one that is under way. It goes on after this resolves, which it does once the person
 * has an address to open.
 */
export async function beginLogin(app: App, server: McpServerConfig, device: boolean): Promise<LoginState> {
  let own = logins.get(app);
  if (own === undefined) {
    own = new Map();
    logins.set(app, own);
  }
  own.get(server.name)?.stop.abort();
  const login: Login = { state: { state: "opening" }, stop: new AbortController() };
  own.set(server.name, login);
  const shown = Promise.withResolvers<void>();
  const show = (state: LoginState) => {
    login.state = state;
    shown.resolve();
  };
  const signal = AbortSignal.any([login.stop.signal, AbortSignal.timeout(mostMs)]);
  void logIn(app, server, { device, signal, show }).then(
    () => show({ state: "done" }),
    (error: unknown) => show({ state: "failed", error: getErrorMessage(error) }),
  );
  await shown.promise;
  return login.state;
}

interface Showing {
  readonly device: boolean;
  readonly signal: AbortSignal;
  readonly show: (state: LoginState) => void;
}

async function logIn(app: App, server: McpServerConfig, { device, signal, show }: Showing): Promise<void> {
  const person: LoginPerson = {
    showAuthorization: ({ url }) => show({ state: "waiting", url: requireWeb(url) }),
    showCode: ({ url, completeUrl, userCode }) =>
      show({ state: "waiting", url: requireWeb(completeUrl ?? url), code: userCode }),
  };
  await (await app.logins()).logIn(server, { person, device, signal });
  app.home.markReview();
  await app.sources.mcp?.reconnect(server.name).catch(() => undefined);
}

/** A page opens nothing but what a browser loads from the web. */
function requireWeb(url: URL): string {
  if (url.protocol === "https:" || url.protocol === "http:") return url.href;
  throw new TypeError(
    `Cannot open the address of the login: it begins with ${url.protocol}, not with https:`,
  );
}
