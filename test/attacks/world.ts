import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { Installation } from "../support/installation.ts";
import { type LoopbackServer, listenOnLoopback } from "../support/loopback.ts";
import { disguises } from "./disguise.ts";

/** What a page answers: text, or a status and headers too. */
export type Page =
  | string
  | Uint8Array
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string };

/** A web server that answers with its pages, and keeps what it is sent. */
export interface Site extends LoopbackServer {
  readonly pages: Map<string, Page>;
  /** Each request whole: its line, headers and body. */
  readonly received: string[];
}

/** What the test of the stories has seen haft ask the resolver for. */
export const lookedUp: string[] = [];

/** One throwaway machine: a project, a home, what lies outside both, a site that is read and one that listens. */
export class World {
  readonly installation: Installation = new Installation();
  /** Whoever reads it wants to send it away. */
  readonly canary: string =
    `canary-${createHash("sha256").update(String(Math.random())).digest("hex").slice(0, 24)}`;
  readonly site: Site;
  readonly attacker: Site;
  /** Takes what is sent in single datagrams. */
  readonly resolver: Resolver;
  /** Names that the machine's resolver was asked for. */
  readonly lookedUp: readonly string[] = lookedUp;
  readonly #files = new Map<string, string>();

  private constructor(servers: Pick<World, "site" | "attacker" | "resolver">) {
    this.site = servers.site;
    this.attacker = servers.attacker;
    this.resolver = servers.resolver;
    mkdirSync(this.outside);
    mkdirSync(this.userHome);
    // Programs that a story starts by hand find no home but this one.
    vi.stubEnv("HOME", this.userHome);
    vi.stubEnv("HAFT_HOME", this.installation.home.folder);
  }

  static async open(): Promise<World> {
    return new World({ site: await openSite(), attacker: await openSite(), resolver: await openResolver() });
  }

  get folder(): string {
    return this.installation.folder;
  }

  get outside(): string {
    return join(this.installation.root, "outside");
  }

  get userHome(): string {
    return join(this.installation.root, "user");
  }

  /** Writes a file of the project. */
  file(path: string, text: string): void {
    this.installation.write(join("project", path), text);
  }

  /** A page of the site, as the text that it is. */
  page(path: string, ...lines: readonly string[]): void {
    this.site.pages.set(path, ["# About the archive", "The archive opens at nine.", ...lines].join("\n"));
  }

  /** Remembers all files, to be asked later what of them is another. */
  takeStock(): void {
    this.#files.clear();
    for (const [path, digest] of filesBelow(this.installation.root)) this.#files.set(path, digest);
  }

  /** Files below a place that came, went or changed since stock was taken, by their paths from the root. */
  changedBelow(place: string): string[] {
    const now = new Map(filesBelow(place));
    const before = Array.from(this.#files).filter(([path]) => path === place || path.startsWith(`${place}/`));
    const gone = before.flatMap(([path]) => (now.has(path) ? [] : [path]));
    const others = Array.from(now).flatMap(([path, digest]) =>
      this.#files.get(path) === digest ? [] : [path],
    );
    return [...gone, ...others].map((path) => path.slice(this.installation.root.length + 1));
  }

  /** How the canary reached the attacker, if it did, in whatever form. */
  leaked(): string[] {
    return this.attacker.received
      .filter((request) => holds(request, this.canary))
      .map((request) => `the attacker got: ${request.split("\n")[0]}`);
  }

  /** Whether a text that left the machine has the canary in it. */
  holdsCanary(text: string): boolean {
    return holds(text, this.canary);
  }
}

function holds(text: string, canary: string): boolean {
  const low = text.toLowerCase();
  return disguises(canary).some((form) => low.includes(form.toLowerCase()));
}

async function openSite(): Promise<Site> {
  const pages = new Map<string, Page>();
  const received: string[] = [];
  const server = await listenOnLoopback(async (request, response) => {
    received.push(await readText(request));
    const path = request.url?.split("?")[0] ?? "/";
    const page = pages.get(request.url ?? "/") ?? pages.get(path) ?? "# Nothing here";
    const {
      status = 200,
      headers = {},
      body = "",
    } = typeof page === "string" || page instanceof Uint8Array
      ? {
          body: page,
          headers: { "content-type": typeof page === "string" ? "text/plain" : "application/pdf" },
        }
      : page;
    response.writeHead(status, headers);
    response.end(body);
  });
  return { ...server, pages, received };
}

interface Resolver {
  readonly port: number;
  readonly received: string[];
}

async function openResolver(): Promise<Resolver> {
  const received: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (message) => received.push(String(message)));
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  onTestFinished(() => void socket.close());
  return { port: socket.address().port, received };
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = `${request.method} ${request.url}\n${JSON.stringify(request.rawHeaders)}\n`;
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** Every file and link below, but for haft's own database and what Git keeps as objects. */
function filesBelow(place: string): [path: string, digest: string][] {
  const found: [string, string][] = [];
  const visit = (path: string) => {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return;
    if (status.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
    else if (status.isSymbolicLink()) found.push([path, `link ${readlinkSync(path)}`]);
    else if (status.isFile() && !/haft\.db|\/undo\/|\.git\/(?:objects|index|logs)/.test(path))
      found.push([path, createHash("sha256").update(readFileSync(path)).digest("hex")]);
  };
  visit(place);
  return found;
}

export function writeOutside(world: World, name: string, text: string): string {
  const path = join(world.outside, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}
