import type { App } from "../../../app/index.ts";
import type { LoginInfo, McpServerConfig } from "../../../mcp/index.ts";
import { requireOwner } from "../../asking/owner-only.ts";
import { TerminalPerson } from "../../mcp/login-person.ts";
import { unknownServer } from "../../mcp/unknown-server.ts";
import type { Session } from "../../session.ts";

export interface LoginOptions {
  /** `--no-browser` */
  readonly browser?: boolean;
  readonly device?: boolean;
  readonly scope?: string;
}

/** `haft mcp login`: a person logs in, and calls of this server have a token from then on. */
export async function login(session: Session, name: string, options: LoginOptions = {}): Promise<void> {
  await requireOwner(session, "log in to an MCP server");
  const app = await openApp(session);
  const server = await findServer(app, name, "log in to");
  const { browser = true, device = false, scope } = options;
  const logins = await app.logins();
  const info = await logins.logIn(server, {
    person: new TerminalPerson(session, { name, browser }),
    device,
    signal: session.signal,
    ...(scope !== undefined && { scope }),
  });
  // A haft that runs asks the server again.
  app.home.markReview();
  if (session.asJson) session.terminal.json({ name, loggedIn: true, ...dated(info) });
  else
    session.terminal.out(
      `You are logged in to ${session.terminal.foreign(name)} by ${info.issuer}${formatEnd(info)}\n`,
    );
}

/** `haft mcp logout`: forgets a login, here and where it is from. */
export async function logout(session: Session, name: string): Promise<void> {
  await requireOwner(session, "log out of an MCP server");
  const app = await openApp(session);
  const server = await findServer(app, name, "log out of");
  const done = await (await app.logins()).logOut(server);
  const { terminal } = session;
  if (session.asJson) terminal.json({ name, loggedOut: done !== undefined, revoked: done?.revoked ?? false });
  else if (done === undefined) terminal.out(`You were not logged in to ${terminal.foreign(name)}\n`);
  else {
    const rest = done.revoked
      ? ""
      : "; its authorization server was not told, and what it gave ends by itself";
    terminal.out(`You are logged out of ${terminal.foreign(name)}${rest}\n`);
  }
}

async function openApp(session: Session): Promise<App> {
  const app = await session.openApp({ sources: "none" });
  session.warn(app.loaded.warnings);
  return app;
}

/** Finds a server as calls have it: of files that are trusted, with its variables in place. */
async function findServer({ loaded }: App, name: string, verb: string): Promise<McpServerConfig> {
  const [{ listServers }, { readServers }] = await Promise.all([
    import("../../../app/index.ts"),
    import("../../../mcp/index.ts"),
  ]);
  const { servers } = readServers([...listServers(loaded.project), ...listServers(loaded.own)]);
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  throw unknownServer(
    name,
    servers.map((server) => server.name),
    verb,
  );
}

function dated({ expiresAt, ...info }: LoginInfo): object {
  return { ...info, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }) };
}

function formatEnd({ expiresAt, renews }: LoginInfo): string {
  if (renews || expiresAt === undefined) return "";
  return ` until ${new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
