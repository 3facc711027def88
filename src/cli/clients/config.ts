import { applyClientEdit, type ClientEdit } from "../../app/index.ts";
import { parseJson } from "../../base/index.ts";
import { type ClientEntry, type ClientHalf, started } from "../connect/client-entry.ts";
import { clientEntries, clientSetting } from "../connect/index.ts";
import { shownPath } from "../connect/shown-path.ts";
import { type ClientForm, type Endpoint, fileForm, tokenHeaders, variableNote } from "./form.ts";

/** How one client is told about haft, and how its own tools and its own question are switched off. */
export interface ClientConfig {
  readonly client: string;
  /** Names it for `--print-config`. */
  readonly id: string;
  readonly forms: readonly ClientForm[];
  readonly ownTools?: PrintedHalf;
  readonly ownQuestion?: PrintedHalf;
}

export interface PrintedHalf {
  readonly files: readonly Omit<ClientForm, "transport">[];
  /** What the files can't do, or why nothing is to be done. */
  readonly note?: string;
}

/**
 * The configuration of the common clients. A shell reads the token from its file, VS Code asks for it; over stdio
 * none is needed.
 *
 * @param own endpoints of single clients, by the id of one of these or a name of the user's
 */
export async function listClientConfigs(
  endpoint: Endpoint,
  own: ReadonlyMap<string, Endpoint> = new Map(),
): Promise<ClientConfig[]> {
  const known = await Promise.all(
    clientEntries.map((entry) => describeClient(entry, own.get(entry.id) ?? endpoint)),
  );
  const ids = new Set(known.map(({ id }) => id));
  const others = Array.from(own).filter(([name]) => !ids.has(name));
  return [
    ...known,
    ...others.map(([name, ownEndpoint]) => describeOther(name, name, ownEndpoint)),
    describeOther("json", "Any other client", endpoint),
  ];
}

/** The forms for HTTP, of the clients that have one: what fits where haft listens. */
export function listHttpForms(endpoint: Endpoint): { readonly client: string; readonly form: ClientForm }[] {
  return clientEntries.flatMap(({ title, http }) =>
    http === undefined ? [] : [{ client: title, form: http(endpoint) }],
  );
}

async function describeClient(entry: ClientEntry, endpoint: Endpoint): Promise<ClientConfig> {
  const setting = clientSetting(entry, endpoint);
  const [server, ownTools, ownQuestion] = await Promise.all([
    printEdit(entry.server(setting)),
    printHalf(entry.ownTools(setting)),
    printHalf(entry.ownQuestion(setting)),
  ]);
  return {
    client: entry.title,
    id: entry.id,
    forms: [
      ...(entry.http === undefined ? [] : [entry.http(endpoint)]),
      ...(entry.shell === undefined ? [] : [entry.shell(endpoint)]),
      { transport: "stdio", ...server },
    ],
    ownTools,
    ownQuestion,
  };
}

/** A client that nothing is known of. */
function describeOther(id: string, client: string, endpoint: Endpoint): ClientConfig {
  const [command, ...args] = endpoint.command;
  const where =
    id === "json" ? "where the client keeps its MCP servers" : `where ${client} keeps its MCP servers`;
  return {
    client,
    id,
    forms: [
      fileForm("http", `${where}${variableNote(endpoint)}`, {
        mcpServers: { haft: { type: "http", url: endpoint.url, ...tokenHeaders(endpoint) } },
      }),
      fileForm("stdio", where, { mcpServers: { haft: started({ command, args }) } }),
    ],
  };
}

async function printHalf({ edits, but, none }: ClientHalf): Promise<PrintedHalf> {
  const note = but ?? none;
  return { files: await Promise.all(edits.map(printEdit)), ...(note !== undefined && { note }) };
}

/** What a file has to say, as it is where there is nothing else in it. */
async function printEdit(edit: ClientEdit): Promise<Omit<ClientForm, "transport">> {
  const { text } = await applyClientEdit(undefined, edit);
  const content = edit.form === "json" ? parseJson(text) : undefined;
  return { where: shownPath(edit.file), text: text.trimEnd(), ...(content !== undefined && { content }) };
}
