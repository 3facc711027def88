import { showInvisible } from "../../base/index.ts";
import type { ClientInfo } from "../../kernel/index.ts";
import type { CallRecord } from "../../modules/ledger/index.ts";
import type { Paint, Terminal } from "../terminal.ts";
import { toLocalTime } from "./local-time.ts";
import { type Column, renderTable } from "./table.ts";

interface CallListOptions {
  /** Whether to show the folder of each call. @default false */
  readonly folders?: boolean;
  /** Whether each call that changed files can be undone, by the id of the call. @default no such column */
  readonly undo?: ReadonlyMap<string, string>;
}

/** One line a call, in the order given; the clients are named where there are any. */
export function renderCallList(
  calls: readonly CallRecord[],
  terminal: Terminal,
  { folders = false, undo = new Map() }: CallListOptions = {},
): string {
  const columns: readonly CallColumn[] = [
    { column: { title: "When" }, text: ({ startedAt }) => toShortTime(startedAt) },
    { column: { title: "Call", whole: true }, text: ({ callId }) => callId },
    { column: { title: "Tool", paint: (text) => terminal.paint("bold", text) }, text: toolText },
    {
      column: { title: "Outcome", paint: (text) => terminal.paint(chooseColour(text.trim()), text) },
      text: ({ state }) => state,
    },
    {
      column: { title: "ms", align: "right" },
      text: ({ durationMs }) => (durationMs === undefined ? "" : String(Math.round(durationMs))),
    },
    ...(undo.size > 0
      ? [{ column: { title: "Undo" }, text: ({ callId }: CallRecord) => undo.get(callId) ?? "" }]
      : []),
    ...(calls.some(({ client }) => client !== undefined)
      ? [{ column: { title: "Client" }, text: ({ client }: CallRecord) => oneLine(client?.name ?? "") }]
      : []),
    ...(folders
      ? [
          {
            column: { title: "Folder" },
            text: ({ project }: CallRecord) => shortFolder(oneLine(project ?? ""), terminal.width),
          },
        ]
      : []),
    {
      column: { title: "Arguments", overflow: "cut" },
      text: ({ paramsText }) => oneLine(paramsText),
    },
  ];
  return renderTable(
    columns.map(({ column }) => column),
    calls.map((call) => columns.map(({ text }) => text(call))),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text), leastTold },
  );
}

interface CallColumn {
  readonly column: Column;
  readonly text: (call: CallRecord) => string;
}

/** Titles of the columns that a narrow terminal leaves out, the first one first; `haft audit CALL` shows all of a call. */
const leastTold = ["ms", "Undo", "Client", "Arguments"];

/** Narrowest a folder is shown. */
const narrowestCut = 12;

/** The end of a folder tells more than its beginning where a terminal is narrow. */
function shortFolder(folder: string, width: number): string {
  const most = Math.max(narrowestCut, Math.floor(width / 5));
  return folder.length <= most ? folder : `…${folder.slice(1 - most)}`;
}

/** `read, in run_script`. */
function toolText(call: CallRecord): string {
  return call.parent === undefined ? call.toolName : `${call.toolName}, in ${call.parent.toolName}`;
}

/** Everything the ledger knows of one call. */
export function renderCall(call: CallRecord, terminal: Terminal): string {
  const facts: [string, string | undefined][] = [
    ["call", call.callId],
    [
      "tool",
      call.toolVersion === undefined ? call.toolName : `${call.toolName} (version ${call.toolVersion})`,
    ],
    ["outcome", call.code === undefined ? call.state : `${call.state} [${call.code}]`],
    ["started", toLocalTime(call.startedAt)],
    ["took", call.durationMs === undefined ? undefined : `${Math.round(call.durationMs)} ms`],
    [
      "decision",
      call.decision === undefined ? undefined : `${call.decision.decision}, by ${call.decision.by}`,
    ],
    ["made by", call.parent && `${call.parent.toolName} (${call.parent.callId})`],
    ["channel", call.channel],
    ["client", call.client && clientText(call.client)],
    ["session", call.session],
    ["folder", call.project],
    ["scope", call.scope],
    ["task", call.taskId],
    ["run", call.runId],
    ["agent", call.agentId],
    ["user", call.userId],
    ["arguments", call.erased ? "erased, with the result" : call.paramsText],
    ["digest", call.paramsDigest],
    ["result", call.summary],
    ["notes", call.notes.length === 0 ? undefined : call.notes.join("\n")],
    ["output", call.artifactId],
    ["running", call.stillRunning ? "it did not stop when it was told to" : undefined],
  ];
  const rows = facts.flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, showInvisible(value)]],
  );
  return renderTable(
    [
      { title: "", paint: (text) => terminal.paint("dim", text) },
      { title: "", overflow: "wrap" },
    ],
    rows,
    { width: terminal.width, titles: false },
  );
}

/** `claude-code 2.1.0`: what the program says it is. */
function clientText({ name, version }: ClientInfo): string {
  return version === "" ? name : `${name} ${version}`;
}

/** Without a year that is this one. */
export function toShortTime(at: number): string {
  const text = toLocalTime(at);
  return text.startsWith(`${new Date().getFullYear()}-`) ? text.slice(5) : text;
}

function oneLine(text: string): string {
  return showInvisible(text.replaceAll("\n", " "));
}

function chooseColour(state: string): Paint {
  if (state === "completed") return "green";
  return state === "started" || state === "cancelled" ? "yellow" : "red";
}
