import type { ConfiguredServer } from "../../app/index.ts";
import type { ServerOffer, ServerState } from "../../app/servers/index.ts";
import { oneLine, showInvisible } from "../../base/index.ts";
import type { Paint, Terminal } from "../terminal.ts";
import { shownTarget, shownWord } from "./mcp-server.ts";
import { formatSpan } from "./span.ts";
import { renderTable } from "./table.ts";

/** One line a server, as it is configured. */
export function renderServerList(servers: readonly ConfiguredServer[], terminal: Terminal): string {
  return renderTable(
    [
      { title: "Server", paint: (text) => terminal.paint("bold", text) },
      { title: "State" },
      { title: "Of" },
      { title: "Tools" },
      { title: "Target", overflow: "cut" },
    ],
    servers.map(({ server, place, state }) => [
      shownWord(server.name),
      stateWords[state],
      place,
      formatTools(server),
      shownTarget(server),
    ]),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
}

const stateWords: Readonly<Record<ConfiguredServer["state"], string>> = {
  enabled: "enabled",
  disabled: "disabled",
  untrusted: "not trusted",
  shadowed: "passed over",
};

function formatTools({ allow, deny }: ConfiguredServer["server"]): string {
  const parts = [
    allow === undefined ? "all" : allow.map(shownWord).join(" ") || "none",
    ...(deny === undefined ? [] : [`not ${deny.map(shownWord).join(" ")}`]),
  ];
  return parts.join(", ");
}

const paints: Readonly<Record<ServerState["status"], Paint>> = {
  ready: "green",
  connecting: "yellow",
  degraded: "yellow",
  failed: "red",
  invalid: "red",
  closed: "dim",
  disabled: "dim",
  untrusted: "yellow",
  shadowed: "dim",
};

const reasons: Partial<Readonly<Record<ServerState["status"], string>>> = {
  untrusted: "the project's file is not trusted; read it, then run `haft trust`",
  shadowed: "the project has one of this name, which is used in its place",
};

/** A few lines a server: how it is, what it is, and what is to be done. All that a server says is shown as it is written. */
export function renderStates(states: readonly ServerState[], terminal: Terminal): string {
  return states.map((state) => renderState(state, terminal)).join("");
}

function renderState(state: ServerState, terminal: Terminal): string {
  const { serverInfo, transport, protocolVersion, listAgeMs, nextTryAt, quarantined, problems } = state;
  const facts = [
    ...(serverInfo === undefined ? [] : [shown(`${serverInfo.name} ${serverInfo.version}`)]),
    ...(transport === undefined ? [] : [transport]),
    ...(protocolVersion === undefined ? [] : [protocolVersion]),
    ...(listAgeMs === undefined
      ? []
      : [`${count(state.tools, "tool")}${listAgeMs < 60_000 ? "" : `, known for ${formatSpan(listAgeMs)}`}`]),
  ];
  const reason = state.reason ?? reasons[state.status];
  const lines = [
    ...(reason === undefined ? [] : [shown(reason)]),
    ...(nextTryAt === undefined
      ? []
      : [`a running haft tries again in ${formatSpan(Math.max(1000, nextTryAt - Date.now()))}`]),
    ...problems.map(shown),
    ...(quarantined.length === 0
      ? []
      : [
          `put aside until you have looked: ${quarantined.map(({ name }) => shownWord(name)).join(" ")}; \`haft mcp review ${shownWord(state.server)}\``,
        ]),
  ];
  const head = `${terminal.paint("bold", shownWord(state.server))}  ${terminal.paint(paints[state.status], state.status)}  ${facts.join(", ")}`;
  return [head.trimEnd(), ...lines.map((line) => `  ${line}`)].map((line) => `${line}\n`).join("");
}

/** What came of the first connection. */
export function renderOffer({ health, tools, tokens, tokenizer }: ServerOffer, terminal: Terminal): string {
  const state = renderState(health, terminal);
  if (health.status !== "ready")
    return `${state}  it stays configured; \`haft mcp status ${shownWord(health.server)}\` tries again\n`;
  const table = renderTable(
    [
      { title: "Tool", paint: (text) => terminal.paint("bold", text) },
      { title: "Tokens", align: "right" },
      { title: "Description", overflow: "cut" },
    ],
    tools.map((tool) => [tool.name, tool.tokens.toLocaleString("en"), shown(tool.description)]),
    { width: terminal.width, indent: "  ", paintTitle: (text) => terminal.paint("dim", text) },
  );
  return `${state}${tools.length === 0 ? "" : table}  ${count(tools.length, "tool")}, ${tokens.toLocaleString("en")} tokens of every context (${tokenizer})\n`;
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

const longest = 400;

function shown(text: string): string {
  const line = showInvisible(oneLine(text));
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
