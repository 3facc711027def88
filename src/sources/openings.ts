import { isRecord } from "../base/index.ts";
import { readFrontMatter } from "./front-matter.ts";
import { PlacedDocument } from "./placed-document.ts";

/** What a kind of file may say that its owner should know before it is accepted. */
export type OpeningKind = "tool" | "hook" | "manifest" | "extension" | "skill" | "agent";

/** What accepting a file would let happen, a line each, as the file has it. Nothing is run or checked for it. */
export function listOpenings(kind: OpeningKind, text: string): readonly string[] {
  switch (kind) {
    case "tool":
      return toolLines(readFields(text));
    case "hook":
      return hookLines(readFields(text));
    case "manifest":
      return manifestLines(readValue(PlacedDocument.parse(text)));
    case "extension":
      return [`run the code in it, ${lines(text)} lines, in a process of its own`];
    case "skill":
      return ["show it to the model as a skill"];
    case "agent":
      return ["say which tools an agent has"];
    default:
      return kind satisfies never;
  }
}

function readFields(text: string): unknown {
  const read = readFrontMatter(text);
  return "code" in read ? undefined : read.fields.value;
}

function readValue(document: ReturnType<typeof PlacedDocument.parse>): unknown {
  return document instanceof PlacedDocument ? document.value : undefined;
}

const unreadable = ["nothing yet: it can't be read; see `haft tools lint`"];

function toolLines(fields: unknown): readonly string[] {
  if (!isRecord(fields)) return unreadable;
  const { override, unconfined } = fields;
  return [
    ...workLines(fields),
    ...(override === true ? [`take the place of another tool of that name`] : []),
    ...(unconfined === true ? ["… outside the sandbox, with all your rights"] : []),
    ...settings(fields, {
      hosts: "… and let it reach",
      environment: "… with the variables",
      cwd: "… in the folder",
    }),
  ];
}

function workLines(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const { id, version, command, shell, mcp, server, bridge, steps } = fields;
  const name = `as the tool ${show(id)}${version === undefined ? "" : `, version ${show(version)}`}`;
  if (mcp === true) return [`call the MCP server ${show(server)} ${name}`];
  if (bridge !== undefined) return [`have a host program do ${show(bridge)} ${name}`];
  if (steps !== undefined) return [`make calls ${name}`, ...stepLines(steps)];
  return [`run ${name}${shell === true ? ", by a shell" : ""}: ${show(command)}`];
}

function stepLines(steps: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(steps) ? steps : [steps];
  return all.map((step) =>
    isRecord(step)
      ? `… ${show(step["id"])}: ${show(step["tool"])} ${show(step["arguments"] ?? {})}`
      : `… ${show(step)}`,
  );
}

function hookLines(fields: unknown): readonly string[] {
  if (!isRecord(fields)) return unreadable;
  const { id, type, tools, command } = fields;
  const when = type === "post_tool" ? "after" : "before";
  const which = Array.isArray(tools) && tools.length > 0 ? tools.map(show).join(", ") : "every tool";
  return [
    `run ${when} calls of ${which}, as the hook ${show(id)}: ${show(command)}`,
    ...settings(fields, { hosts: "… and let it reach" }),
  ];
}

function manifestLines(manifest: unknown): readonly string[] {
  if (!isRecord(manifest)) return unreadable;
  const tools = Array.isArray(manifest["tools"]) ? manifest["tools"] : [];
  return tools.length === 0 ? ["name a space, without tools"] : tools.flatMap(toolLines);
}

function settings(
  fields: Readonly<Record<string, unknown>>,
  labels: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(labels).flatMap(([key, label]) =>
    fields[key] === undefined ? [] : [`${label} ${show(fields[key])}`],
  );
}

function show(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(show).join(", ");
  return JSON.stringify(value) ?? "(nothing)";
}

function lines(text: string): number {
  return text.trimEnd().split("\n").length;
}
