import { describeQuarantine } from "../../app/views/index.ts";
import { shellWord } from "../../base/index.ts";
import type { JsonSchema, Quarantine, Tool, ToolVersions } from "../../kernel/index.ts";
import type { Terminal } from "../terminal.ts";
import { wrapText } from "./display-width.ts";
import { listParameters } from "./schema-view.ts";
import { renderTable } from "./table.ts";

export interface ListedState {
  readonly quarantined: readonly Quarantine[];
  /** What keeps the caller from a tool, in a word. */
  readonly marks: (tool: Tool) => string | undefined;
}

/** One line a tool: name, category, what it may do or why it may not be called, the first sentence of its description. */
export function renderToolList(
  tools: readonly Tool[],
  { quarantined, marks }: ListedState,
  terminal: Terminal,
): string {
  const table = renderTable(
    [
      { title: "Tool", paint: (text) => terminal.paint("bold", text) },
      { title: "Category" },
      { title: "May", paint: (text) => terminal.paint("dim", text) },
      { title: "Description", overflow: "cut" },
    ],
    tools.map((tool) => [
      tool.name,
      tool.category,
      marks(tool) ?? describeReach(tool),
      firstSentence(tool.description),
    ]),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
  const faults = quarantined.map((one) => `${describeQuarantine(one)}\n`).join("");
  return table + faults;
}

/** What a tool says of itself, in a word: the strongest thing it may do. */
function describeReach({ annotations }: Tool): string {
  const readOnly = annotations.readOnly ?? false;
  const reach = readOnly ? "read" : (annotations.destructive ?? true) ? "destroy" : "change";
  return (annotations.openWorld ?? true) ? `${reach}, outside` : reach;
}

function firstSentence(description: string): string {
  const line = (description.split("\n").find((text) => text.trim() !== "") ?? "").trim();
  const end = line.search(/[.;:]\s/);
  return end < 0 ? line.replace(/\.$/, "") : line.slice(0, end);
}

/** Everything about one tool that helps to call it. */
export function renderTool(tool: Tool, schema: JsonSchema, terminal: Terminal): string {
  const width = Number.isFinite(terminal.width) ? terminal.width : 100;
  const title = tool.title === undefined || tool.title === tool.name ? "" : ` (${tool.title})`;
  const facts = [tool.category, ...annotationWords(tool), `version ${tool.version}`].join(", ");
  return [
    `${wrapText(`${terminal.paint("bold", tool.name)}${title}  ${terminal.paint("dim", facts)}`, width).join("\n")}\n`,
    `${wrapText(tool.description.trim(), width).join("\n")}\n`,
    `${terminal.paint("bold", "Parameters")}\n${renderParameters(schema, terminal, width)}`,
    ...(tool.versions === undefined
      ? []
      : [`${terminal.paint("bold", "Versions")}\n${versionLine(tool.versions)}`]),
    `${terminal.paint("bold", "Call it")}\n  ${exampleCall(tool.name, schema)}\n`,
  ].join("\n");
}

/** `1, for 90 parts of the calls that name none`. */
function versionLine({ all, shares }: ToolVersions): string {
  const parts = Array.from(all.keys(), (name) => `${name} (${shares.get(name) ?? 0})`);
  return `  ${parts.join(", ")}: in brackets its part of the calls that name none\n`;
}

function annotationWords({ annotations }: Tool): string[] {
  const { readOnly = false, openWorld = true, idempotent = false } = annotations;
  const destructive = annotations.destructive ?? !readOnly;
  return [
    readOnly ? "read-only" : destructive ? "may destroy" : "changes things",
    ...(idempotent && !readOnly ? ["safe to repeat"] : []),
    ...(openWorld ? ["reaches outside"] : []),
  ];
}

function renderParameters(schema: JsonSchema, terminal: Terminal, width: number): string {
  const rows = listParameters(schema).map((row) => [
    row.name,
    row.required ? "required" : row.default === undefined ? "" : `= ${row.default}`,
    [row.type, row.description].filter((text) => text !== "").join("\n"),
  ]);
  if (rows.length === 0) return "  none\n";
  return renderTable(
    [
      { title: "", paint: (text) => terminal.paint("cyan", text) },
      { title: "" },
      { title: "", overflow: "wrap" },
    ],
    rows,
    { width, indent: "  ", titles: false },
  );
}

/** A call with every required parameter: a line to fill in. */
function exampleCall(name: string, schema: JsonSchema): string {
  const required = listParameters(schema).filter((row) => row.required && !/[.[]/.test(row.name));
  const words = required.map((row) => {
    const isText = row.type.startsWith("string");
    return `--arg ${shellWord(row.name)}${isText ? "=" : row.type.startsWith("list") || row.type === "object" ? ":=" : "="}${exampleValue(row.type)}`;
  });
  return ["haft call", name, ...words].join(" ");
}

function exampleValue(type: string): string {
  if (type.startsWith("list")) return "'[…]'";
  if (type.startsWith("object")) return "'{…}'";
  return type.startsWith('"') ? (type.split(" | ")[0] as string).slice(1, -1) : "…";
}
