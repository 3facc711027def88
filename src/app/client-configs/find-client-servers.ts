import { realpath } from "node:fs/promises";
import { canonicalJson, isRecord } from "../../base/index.ts";
import { readSourceFile } from "../../host/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";
import { type ClientFile, type ClientKind, type ClientPlaces, clientKinds } from "./clients.ts";
import { parseJsonWithComments } from "./json-with-comments.ts";
import { toServer } from "./to-server.ts";

/** A server that another client has. */
export interface FoundServer {
  /** The id of the client. */
  readonly client: string;
  readonly clientName: string;
  readonly file: string;
  /** `project`: from a file in the project's folder, which may be anybody's. */
  readonly owner: ClientFile["owner"];
  /** The server in our form. */
  readonly server: McpServerConfig;
  readonly notes: readonly string[];
}

/** What was passed over. */
export interface PassedOver {
  readonly client: string;
  readonly file: string;
  /** Absent: the whole file. */
  readonly server?: string;
  readonly reason: string;
}

export interface FoundServers {
  readonly servers: readonly FoundServer[];
  readonly passedOver: readonly PassedOver[];
}

/** Some clients keep all they ever heard in the same file. */
const mostBytes = 64 * 1024 ** 2;

/** All servers of the clients on this machine, for this user and this project. haft itself is left out. */
export async function findClientServers(places: ClientPlaces): Promise<FoundServers> {
  const servers: FoundServer[] = [];
  const passedOver: PassedOver[] = [];
  for (const kind of clientKinds) {
    for (const file of kind.files(places)) {
      const at = { client: kind.id, file: file.path };
      const read = await readClientFile(file);
      if (read === undefined) continue;
      if (typeof read === "string") {
        if (!passedOver.some((one) => one.file === file.path)) passedOver.push({ ...at, reason: read });
        continue;
      }
      for (const [name, raw] of Object.entries(read)) {
        const one = await convert(name, raw, { kind, file, home: places.home });
        if (one === "haft") continue;
        if ("reason" in one) passedOver.push(one);
        else if (!servers.some((other) => isSame(other, one))) servers.push(one);
      }
    }
  }
  return { servers, passedOver };
}

interface Origin {
  readonly kind: ClientKind;
  readonly file: ClientFile;
  readonly home: string;
}

async function convert(
  name: string,
  raw: unknown,
  { kind, file, home }: Origin,
): Promise<FoundServer | PassedOver | "haft"> {
  const converted = await toServer(name, raw, home);
  if (typeof converted === "string")
    return { client: kind.id, file: file.path, server: name, reason: converted };
  if (isHaft(converted.server)) return "haft";
  return { client: kind.id, clientName: kind.name, file: file.path, owner: file.owner, ...converted };
}

/** The same server, in the file of another client: what the user's own file has is as good as what the project's has. */
function isSame(one: FoundServer, other: FoundServer): boolean {
  return (
    (one.owner === other.owner || one.owner === "user") &&
    canonicalJson(one.server) === canonicalJson(other.server)
  );
}

/** haft behind haft would call itself. */
function isHaft({ name, command, args = [], url }: McpServerConfig): boolean {
  if (url !== undefined) {
    const { hostname, pathname } = new URL(url);
    return name === "haft" && pathname === "/mcp" && /^(localhost|127\.|\[::1\])/.test(hostname);
  }
  const isOurs = (word: string) => /^haft(@[^/]*)?(\.(js|cmd|exe))?$/i.test(word.replace(/^.*[\\/]/, ""));
  return args.includes("mcp") && [command ?? "", ...args].some(isOurs);
}

/** The servers by name; a sentence for a file that can't be read, in which nothing of the file is told. */
async function readClientFile({
  path,
  owner,
  form,
  servers,
}: ClientFile): Promise<Readonly<Record<string, unknown>> | string | undefined> {
  // A user may keep settings elsewhere and link to them; what a project links to is none of its business.
  const at = owner === "user" ? await realpath(path).catch(() => path) : path;
  const file = await readSourceFile(at, { maxBytes: mostBytes });
  if (file === undefined) return undefined;
  if ("reason" in file) return file.reason;
  const content = form === "json" ? parseJsonWithComments(file.text) : await parseToml(file.text);
  if (!isRecord(content)) return file.text.trim() === "" ? undefined : `it is no ${form.toUpperCase()}`;
  const found = servers(content);
  return found === undefined || isRecord(found) ? found : "its servers are no object";
}

async function parseToml(text: string): Promise<unknown> {
  const { parse } = await import("smol-toml");
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
