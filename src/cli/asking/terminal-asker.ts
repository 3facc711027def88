import { isRecord, showInvisible } from "../../base/index.ts";
import type { Asker, ServerAnswer, ServerQuestion } from "../../mcp/index.ts";
import type { Terminal } from "../terminal.ts";
import { askYes, promptStreams } from "./ask-yes.ts";

const declined: ServerAnswer = { action: "decline" };
const cancelled: ServerAnswer = { action: "cancel" };

/** Puts what an MCP server asks in the middle of a call to the person at the terminal. */
export function createTerminalAsker(terminal: Terminal): Asker {
  return {
    async ask(question, _context, signal) {
      terminal.err(
        `\nThe MCP server ${showInvisible(question.server)} asks:\n  ${showText(question.message)}\n`,
      );
      return question.mode === "url"
        ? askUrl(terminal, question, signal)
        : askForm(terminal, question, signal);
    },
  };
}

type UrlQuestion = Extract<ServerQuestion, { mode: "url" }>;
type FormQuestion = Extract<ServerQuestion, { mode: "form" }>;

async function askUrl(terminal: Terminal, { url }: UrlQuestion, signal: AbortSignal): Promise<ServerAnswer> {
  terminal.err(`  It wants you to open ${showInvisible(url)}\n`);
  const agreed = await askYes(terminal, "Will you?", { signal });
  return agreed === undefined ? cancelled : agreed ? { action: "accept" } : declined;
}

async function askForm(
  terminal: Terminal,
  { schema }: FormQuestion,
  signal: AbortSignal,
): Promise<ServerAnswer> {
  terminal.err("  Tell it nothing secret. Escape leaves the question.\n");
  const fields = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  if (fields.length === 0) {
    const agreed = await askYes(terminal, "Agree?", { signal });
    return agreed === undefined ? cancelled : agreed ? { action: "accept", content: {} } : declined;
  }
  const content: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const value = await askField(
      terminal,
      { name, field: isRecord(field) ? field : {}, isRequired: required.includes(name) },
      signal,
    );
    if (value === left) return cancelled;
    if (value !== undefined) content[name] = value;
  }
  const agreed = await askYes(terminal, `Send ${showInvisible(JSON.stringify(content))}?`, {
    signal,
    first: true,
  });
  return agreed === undefined ? cancelled : agreed ? { action: "accept", content } : declined;
}

const left = Symbol("left");

interface Field {
  readonly name: string;
  readonly field: Readonly<Record<string, unknown>>;
  readonly isRequired: boolean;
}

/** The value; undefined where none is given. */
async function askField(
  terminal: Terminal,
  { name, field, isRequired }: Field,
  signal: AbortSignal,
): Promise<unknown> {
  const { isCancel, select, multiselect, text } = await import("@clack/prompts");
  const { title, description, type, default: first } = field;
  const label = typeof title === "string" ? title : name;
  const message = showText(typeof description === "string" ? `${label}: ${description}` : label);
  const streams = { ...promptStreams(terminal), signal };
  const options = listOptions(field);
  if (type === "boolean") return (await askYes(terminal, message, { signal, first: first === true })) ?? left;
  const answer =
    options === undefined
      ? await text({
          ...streams,
          message,
          ...((typeof first === "string" || typeof first === "number") && { initialValue: String(first) }),
          validate: (value) => findFault(value ?? "", field, isRequired),
        })
      : type === "array"
        ? await multiselect({ ...streams, message, options, required: isRequired })
        : await select({ ...streams, message, options });
  if (isCancel(answer)) return left;
  if (typeof answer !== "string") return answer;
  if (answer === "") return undefined;
  return type === "number" || type === "integer" ? Number(answer) : answer;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** `enum` with or without names, or `oneOf`/`anyOf` with titles; of a list, those of its items. */
function listOptions(field: Readonly<Record<string, unknown>>): Choice[] | undefined {
  const of = isRecord(field["items"]) ? field["items"] : field;
  const { enum: words, enumNames: names } = of;
  const titled = of["oneOf"] ?? of["anyOf"];
  if (Array.isArray(words)) {
    const labels: readonly unknown[] = Array.isArray(names) ? names : words;
    return words.map((word: unknown, at) => ({
      value: String(word),
      label: showText(String(labels[at] ?? word)),
    }));
  }
  if (!Array.isArray(titled)) return undefined;
  return titled.filter(isRecord).map((one) => ({
    value: String(one["const"]),
    label: showText(String(one["title"] ?? one["const"])),
  }));
}

function findFault(value: string, { type }: Field["field"], isRequired: boolean): string | undefined {
  if (value === "") return isRequired ? "The server needs it." : undefined;
  const isNumber = type === "number" || type === "integer";
  if (isNumber && !(type === "integer" ? Number.isInteger(Number(value)) : Number.isFinite(Number(value))))
    return type === "integer" ? "Give a whole number." : "Give a number.";
  return undefined;
}

function showText(text: string): string {
  return showInvisible(text).replaceAll("\n", "\n  ");
}
