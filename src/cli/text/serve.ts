import { type App, type ClientView, type Exposed, listServers } from "../../app/index.ts";
import type { SandboxReport } from "../../host/index.ts";
import type { Mode } from "../../kernel/index.ts";
import type { OwnerEndpoint } from "../../server/index.ts";
import { type ClientConfig, listHttpForms, type PrintedHalf } from "../clients/config.ts";
import { type ClientForm, commandInShell, type Endpoint } from "../clients/form.ts";
import { clientEntries } from "../connect/index.ts";
import type { NoProject } from "../no-project.ts";
import type { Terminal } from "../terminal.ts";
import { wrapText } from "./display-width.ts";
import { describeSelection } from "./goal.ts";
import { renderTable } from "./table.ts";

const modeTexts: Readonly<Record<Mode, string>> = {
  plan: "plan: tools only look",
  ask: "ask",
  auto: "auto: commands in the sandbox are asked about only for a known risk",
  locked: "locked: nobody is asked, and what would ask is refused",
};

/** The console, as `haft serve` announces it. */
export interface ConsoleNews {
  /** Link that opens it once, within a minute. Absent if others than the owner could read the output. */
  readonly link?: string;
}

export interface Listening {
  readonly endpoint: Endpoint;
  readonly approvals: OwnerEndpoint;
  /** What each client sees, by path; the first is everybody's. */
  readonly views: ReadonlyMap<string, ClientView>;
  /** Host programs may connect. */
  readonly bridge: boolean;
  /** The path of the operator's socket, where there is one. */
  readonly socket: string | undefined;
  /** Undefined if the console is off. */
  readonly console: ConsoleNews | undefined;
  /** What keeps commands in. */
  readonly isolation: SandboxReport;
  readonly version: string;
  /** What a person types to start this haft: `haft` or `npx haft`. */
  readonly typed: string;
  /** Present if it was started outside any project. */
  readonly noProject: NoProject | undefined;
}

/** What `haft serve` says once it listens: where, with what, what asks, and how clients are told. */
export function renderListening(
  app: App,
  { endpoint, approvals, views, bridge, socket, console, isolation, version, typed, noProject }: Listening,
  terminal: Terminal,
): string {
  const bold = (text: string) => terminal.paint("bold", text);
  const { config, files } = app.loaded;
  const { allowedPaths = [], allowedHosts = [] } = app.context;
  const rules = config.permissions?.length ?? 0;
  const facts = [
    ["folder", noProject === undefined ? app.folder : "none, since it was started outside any project"],
    ...projectsFact(app),
    ["tools", countTools(app)],
    ...Array.from(views, ([path, view]) => [
      path,
      [
        describeExposed(view.exposed(), app.sources.listed() !== undefined),
        ...(view.selected === undefined ? [] : [describeSelection(view.selected, config)]),
      ].join("\n"),
    ]),
    ["mode", modeTexts[app.mode]],
    ["token", endpoint.tokenFile],
    ["config", files.length === 0 ? `none; \`${typed} init\` writes one` : files.join("\n")],
    [
      "unasked",
      `reading and changing files in ${listed(allowedPaths)}, commands that only read there; hosts: ${listed(allowedHosts)}`,
    ],
    [
      "asks",
      `other commands, deleting, secrets such as .env, what your own programs run (git hooks, editor settings, …), other files, other hosts${rules === 0 ? "" : `; ${rules} rules of the configuration change that: \`${typed} policy\``}`,
    ],
    ["isolation", describeIsolation(isolation, typed)],
    ["answers", `\`${typed} approvals\`, or ${approvals.url} with the token in ${approvals.tokenFile}`],
    ...consoleFact(console, typed),
    ...serversFact(app, typed),
    ...(bridge
      ? [["bridge", `\`${typed} bridge\` prints the address of a page that connects your browser`]]
      : []),
    ...(socket === undefined ? [] : [["operator", socket]]),
    ["ledger", `\`${typed} audit\` shows every call`],
  ];
  const table = renderTable(
    [
      { title: "", paint: (text) => terminal.paint("dim", text) },
      { title: "", overflow: "wrap" },
    ],
    facts.map((row) => row.map((text) => terminal.foreign(text))),
    { width: terminal.width, indent: "  ", titles: false },
  );
  return [
    `haft ${version} serves ${bold(endpoint.url)}\n`,
    table,
    setUpText(terminal, typed),
    ...listHttpForms(endpoint).map(({ client, form }) => renderShort(client, form, terminal)),
    `${bold("Any client that starts its servers")}\n  ${commandInShell(endpoint)}\n`,
    `Listening on ${bold(endpoint.url)}; Ctrl-C stops it.\n`,
  ].join("\n");
}

/** How a client is set up, in lines of at most 110 columns. */
function setUpText(terminal: Terminal, typed: string): string {
  const width = Math.min(terminal.width, 110);
  const lines = [
    `Set up your client with \`${typed} connect CLIENT\`: it adds haft, and switches off the client's own file and shell tools, so that every call comes through haft, and its own question about haft's tools. CLIENT is one of`,
    ...wrapText(clientEntries.map(({ id }) => id).join(", "), width - 2).map((line) => `  ${line}`),
    "",
    `\`${typed} serve --print-config CLIENT\` prints both halves. Over HTTP haft alone is added so:`,
  ];
  return `${lines.flatMap((line) => wrapText(line, width)).join("\n")}\n`;
}

function describeIsolation({ level, sufficient, detail, remedy }: SandboxReport, typed: string): string {
  const refused = sufficient ? "" : "commands are refused: ";
  const more = remedy === undefined ? "" : `; for more, ${remedy.replaceAll("`haft ", `\`${typed} `)}`;
  return `${refused}${level}: ${detail}${more}`;
}

function projectsFact({ home }: App): string[][] {
  const projects = Array.from(home.projects(), ([name, folder]) => `/mcp/@${name} works in ${folder}`);
  return projects.length === 0 ? [] : [["projects", projects.join("\n")]];
}

function consoleFact(console: ConsoleNews | undefined, typed: string): string[][] {
  if (console === undefined) return [];
  const link = console.link === undefined ? "" : `${console.link} once, within a minute, or `;
  return [["console", `${link}\`${typed} console\` opens what happens and what is asked in your browser`]];
}

function serversFact({ loaded }: App, typed: string): string[][] {
  const names = listServers(loaded.config).map((server) => ("name" in server ? String(server.name) : "?"));
  return names.length === 0
    ? []
    : [["servers", `${names.join(", ")}; \`${typed} mcp status\` says how they are`]];
}

function countTools(app: App): string {
  const { total, byCategory } = app.registry.getStats();
  const counts = Object.entries(byCategory).map(([category, count]) => `${category} ${count}`);
  return `${total}: ${counts.join(", ")}`;
}

function describeExposed({ lean, listed, tools }: Exposed, areComing: boolean): string {
  const text = lean
    ? `lean: ${listed} of ${tools} tools are listed, the rest is found with search_tools`
    : `all: ${listed} tools are listed`;
  return areComing ? `${text}; more come as the servers answer` : text;
}

function listed(items: readonly string[]): string {
  return items.length === 0 ? "none" : items.join(", ");
}

/** One form of a client, a file's content on one line. */
function renderShort(client: string, form: ClientForm, terminal: Terminal): string {
  const where = form.where === "in a shell" ? "" : terminal.paint("dim", `  ${form.where}`);
  const text = form.content === undefined ? form.text : JSON.stringify(form.content);
  return `${terminal.paint("bold", client)}${where}\n${indented(text)}\n`;
}

/** Every form of the given clients, to be pasted: the server, then what switches the client's own tools and question off. */
export function renderClientConfigs(configs: readonly ClientConfig[], terminal: Terminal): string {
  const part = (client: string, title: string, text: string) =>
    `${terminal.paint("bold", client)}  ${terminal.paint("dim", title)}\n${indented(text)}\n`;
  return configs
    .flatMap(({ client, forms, ownTools, ownQuestion }) => [
      ...forms.map(({ transport, where, text }) =>
        part(client, `${transport === "http" ? "HTTP" : "stdio"}, ${where}`, text),
      ),
      ...renderHalf(ownTools, (where, text) =>
        part(client, `its own file and shell tools off${where}`, text),
      ),
      ...renderHalf(ownQuestion, (where, text) => part(client, `its own question off${where}`, text)),
    ])
    .join("\n");
}

function renderHalf(half: PrintedHalf | undefined, part: (where: string, text: string) => string): string[] {
  const { files = [], note } = half ?? {};
  return [
    ...files.map(({ where, text }) => part(`, ${where}`, text)),
    ...(note === undefined ? [] : [part("", note)]),
  ];
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
