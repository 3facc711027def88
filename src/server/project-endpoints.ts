import type { App, Home } from "../app/index.ts";
import { type Clock, getErrorMessage, systemClock } from "../base/index.ts";
import type { HttpHandler } from "../host/index.ts";
import { McpError } from "../mcp/index.ts";
import { createTokenCheck } from "./http/bearer-token.ts";
import { createHttpHandler } from "./mcp/http/http.ts";
import { refuse } from "./mcp/http/visit.ts";
import type { ChooseServer, McpServer } from "./mcp/mcp-server.ts";
import { chooseRoot } from "./root-project.ts";

/** Maximum number of open folders, in addition to the one in which `haft serve` was started. */
const mostOpen = 8;
/** Idle time after which a folder is closed. */
const idleMs = 1_800_000;

export interface ProjectEndpointsOptions {
  readonly home: Home;
  /** Bearer token that MCP clients send. */
  readonly token: string;
  /** Opens the installation of a folder. */
  readonly open: (folder: string) => Promise<OpenedProject>;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

export interface OpenedProject {
  readonly app: Pick<App, "close">;
  readonly server: McpServer;
}

type Request = Parameters<HttpHandler>[0];
type Response = Parameters<HttpHandler>[1];

interface Entry {
  readonly opened: Promise<OpenedProject & { readonly handler: ReturnType<typeof createHttpHandler> }>;
  /** Number of requests being answered and of open streams. */
  busy: number;
  endTimer: () => void;
}

/**
 * The endpoints `/mcp/@NAME`: the tools in the folders of the projects that the owner named with `haft trust --as`.
 * A folder is opened at the first request for it.
 */
export class ProjectEndpoints {
  readonly #options: ProjectEndpointsOptions;
  readonly #mayEnter: (request: Pick<Request, "headers">) => boolean;
  readonly #clock: Clock;
  /** Entries by name and folder, as a name can be reassigned; the least recently used comes first. */
  readonly #entries = new Map<string, Entry>();
  #closed = false;

  constructor(options: ProjectEndpointsOptions) {
    this.#options = options;
    this.#mayEnter = createTokenCheck([options.token]);
    this.#clock = options.clock ?? systemClock;
  }

  /** Whether an authorized request is for a project; without a token nobody learns which projects exist. */
  readonly owns = (request: Request): boolean => nameIn(request) !== undefined && this.#mayEnter(request);

  readonly handle = (request: Request, response: Response): void => {
    void this.#answer(request, response).catch((error: unknown) => {
      this.#options.onError(error);
      if (!response.headersSent)
        refuse({ request, response }, 500, `Cannot open the project: ${getErrorMessage(error)}`);
    });
  };

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#entries.keys()].map((key) => this.#end(key)));
  }

  async #answer(request: Request, response: Response): Promise<void> {
    const name = nameIn(request) as string;
    const projects = this.#options.home.projects();
    const folder = projects.get(name);
    if (folder === undefined || this.#closed) {
      const known = [...projects.keys()].map((one) => `/mcp/@${one}`).join(", ");
      const there = known === "" ? "none has a name yet" : `there are ${known}`;
      refuse(
        { request, response },
        404,
        `Cannot find the project "${name}": ${there}; its owner names it with \`haft trust FOLDER --as ${name}\``,
      );
      return;
    }
    const entered = this.#enter(name, folder);
    if (entered === undefined) {
      refuse({ request, response }, 503, noRoom(name));
      return;
    }
    response.on("close", entered.leave);
    (await entered.opened).handler(request, response);
  }

  /**
   * The server of the project that a session's client works in, by the folders it names, as createMcpServer takes it.
   *
   * @param start where those work who name none that the owner knows
   */
  chooseServer(start: string): ChooseServer {
    return async (roots) => {
      const { project, note } = chooseRoot(roots, start, () => this.#options.home.projects());
      if (project === undefined || this.#closed) return { ...(note !== undefined && { note }) };
      const { name, folder } = project;
      const entered = this.#enter(name, folder);
      if (entered === undefined) throw new McpError("MCP_BUSY", noRoom(name));
      const { opened, leave } = entered;
      try {
        const { server } = await opened;
        return { server, leave, ...(note !== undefined && { note }) };
      } catch (cause) {
        leave();
        throw new McpError("MCP_CONFIG", `Cannot open the project "${name}": ${getErrorMessage(cause)}`, {
          cause,
        });
      }
    };
  }

  /** Opens a project, or finds it open; undefined where no more may be. */
  #enter(
    name: string,
    folder: string,
  ): { readonly opened: Entry["opened"]; readonly leave: () => void } | undefined {
    const key = JSON.stringify([name, folder]);
    if (!this.#entries.has(key) && !this.#hasRoom()) return undefined;
    const entry = this.#openEntry(key, folder, name);
    entry.busy++;
    entry.opened.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    const leave = () => {
      entry.busy--;
      this.#rest(key, entry);
    };
    return { opened: entry.opened, leave };
  }

  #openEntry(key: string, folder: string, name: string): Entry {
    const found = this.#entries.get(key);
    const entry = found ?? { opened: this.#open(folder, name), busy: 0, endTimer: () => {} };
    entry.endTimer();
    // Whoever is used last is last.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  async #open(folder: string, name: string): Promise<Awaited<Entry["opened"]>> {
    const opened = await this.#options.open(folder);
    const path = `/mcp/@${name}`;
    const { token } = this.#options;
    return { ...opened, handler: createHttpHandler(opened.server, { token, path, hosts: "any" }) };
  }

  #rest(key: string, entry: Entry): void {
    if (entry.busy > 0 || this.#entries.get(key) !== entry) return;
    entry.endTimer();
    entry.endTimer = this.#clock.after(idleMs, () => void this.#end(key));
  }

  /** Whether one more folder may be opened; closes the least recently used idle one if there are too many. */
  #hasRoom(): boolean {
    if (this.#entries.size < mostOpen) return true;
    const idle = [...this.#entries].find(([, { busy }]) => busy === 0);
    if (idle !== undefined) void this.#end(idle[0]);
    return idle !== undefined;
  }

  async #end(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    entry?.endTimer();
    try {
      const opened = await entry?.opened;
      opened?.handler.close();
      opened?.server.close();
      await opened?.app.close();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

function nameIn({ url = "" }: Request): string | undefined {
  return /^\/mcp\/@([\w.-]{1,64})(?:\?|$)/.exec(url)?.[1];
}

function noRoom(name: string): string {
  return `Cannot open the project "${name}": ${mostOpen} others are at work; try again when one of them is done`;
}
