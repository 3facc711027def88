import { cutHead, isRecord, showInvisible } from "../../base/index.ts";
import {
  type Approval,
  type Effect,
  effectVerbs,
  readShownPlan,
  type ShownCall,
} from "../../kernel/index.ts";
import type { Paint } from "../terminal.ts";
import { wrapText } from "./display-width.ts";
import { formatSpan } from "./span.ts";

export interface ApprovalTextOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly paint: (paint: Paint, text: string) => string;
  /** Whether, and for how long, it can be answered. */
  readonly standing: string;
}

/** Past this much of one argument the rest is counted, not shown; nobody reads more before an answer. */
const maxValueLines = 30;
const maxValueChars = 4000;

/** What a person is asked, exactly as the call stands: every invisible or steering character is spelled out. */
export function renderApproval(approval: Approval, options: ApprovalTextOptions): string {
  const { paint } = options;
  const name = showInvisible(approval.toolName);
  const title = approval.toolTitle === approval.toolName ? "" : ` (${showInvisible(approval.toolTitle)})`;
  const lines = ["", paint("bold", `${name}${title} asks for your yes`), ""];
  for (const [at, effect] of approval.effects.entries()) {
    lines.push(...field(at === 0 ? "will" : "", effectLines(effect), options));
  }
  if (approval.effects.length === 0)
    lines.push(...field("will", ["run; it does not say what it touches"], options));
  lines.push(...paramFields(approval.params, options));
  if (approval.folder !== undefined) lines.push(...field("in", [showInvisible(approval.folder)], options));
  lines.push(...field("because", [showInvisible(approval.reason)], options));
  for (const [at, isolation] of listIsolations(approval).entries()) {
    lines.push(...field(at === 0 ? "isolation" : "", [isolation], options));
  }
  for (const { label, covers, leaves } of approval.offers.filter(({ patterns }) => patterns !== undefined)) {
    const preview = `${label}: would cover ${covers}, and still ask to ${leaves}`;
    lines.push(...field("or wider", [showInvisible(preview)], options));
  }
  lines.push(...field("asked by", [showInvisible(describeAsker(approval))], options));
  lines.push(...field("question", [`${showInvisible(approval.id)}: ${options.standing}`], options));
  return `${lines.join("\n")}\n\n`;
}

function paramFields(params: unknown, options: ApprovalTextOptions): string[] {
  const plan = readShownPlan(params);
  if (plan === undefined) return field("with", argumentLines(params), options);
  const { calls, rest } = plan;
  return [
    ...field("calls", calls.flatMap(callLines), options),
    ...(Object.keys(rest).length === 0 ? [] : field("with", argumentLines(rest), options)),
  ];
}

/** `2. save: write, after page`, and its arguments below it, where none of them can pass for another call. */
function callLines({ step, tool, after, arguments: params }: ShownCall, at: number): string[] {
  const waits = after.length === 0 ? "" : `, after ${after.join(", ")}`;
  const title = showInvisible(`${at + 1}. ${step}: ${tool}${waits}`).replaceAll("\n", "\\u{a}");
  const plan = readShownPlan(params);
  const below =
    plan === undefined
      ? argumentLines(params)
      : [
          ...(Object.keys(plan.rest).length === 0 ? [] : argumentLines(plan.rest)),
          ...plan.calls.flatMap(callLines),
        ];
  return [title, ...below.flatMap((line) => line.split("\n").map((part) => `   ${part}`))];
}

/** Who wants to make the call, as far as it is known: `writer for ada (mcp)`. */
export function describeAsker({
  agentId,
  userId,
  origin,
  scope,
}: Pick<Approval, "agentId" | "userId" | "origin" | "scope">): string {
  const known = [agentId, userId].filter((name) => name !== undefined);
  const who = known.join(" for ") || scope;
  return origin === undefined ? who : `${who} (${origin.channel})`;
}

/**
 * How long a question that nobody has answered can be, and who waits for it.
 *
 * @param runId The parked run that waits for the answer. @default none
 */
export function describeStanding(approval: Approval, now: number, runId?: string): string {
  const left = `expires in ${formatSpan(approval.expiresAt - now)}`;
  if (runId !== undefined) return `the run ${runId} waits for the answer; ${left}`;
  return isAwaited(approval, now)
    ? `a call waits for the answer; ${left}`
    : `no call waits any more, a yes is for ${describeAgain(approval)}; ${left}`;
}

/** Names the later call that can use a yes: one of another session asks anew. */
function describeAgain({ origin }: Pick<Approval, "origin">): string {
  return `the same call made again${origin?.session === undefined ? "" : " in the same session (a new one asks anew)"}`;
}

/** At the latest until then: a caller may have given up before. */
export function isAwaited({ waitsUntil }: Pick<Approval, "waitsUntil">, now: number): boolean {
  return waitsUntil !== undefined && waitsUntil > now;
}

/** How what it starts is kept apart, each way once. */
function listIsolations({ effects }: Approval): string[] {
  const said = effects.flatMap(({ isolation }) => isolation ?? []);
  return Array.from(new Set(said), showInvisible);
}

const labelWidth = 11;

function field(label: string, texts: readonly string[], { width, paint }: ApprovalTextOptions): string[] {
  const wrapped = texts.flatMap((text) => wrapIndented(text, Math.max(20, width - labelWidth - 2)));
  return wrapped.map((text, at) => `  ${paint("dim", (at === 0 ? label : "").padEnd(labelWidth))}${text}`);
}

/** What goes on in another line stands below its beginning. */
function wrapIndented(text: string, width: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? "";
  return wrapText(text.slice(indent.length), width - indent.length).map((line) => `${indent}${line}`);
}

function effectLines(effect: Effect): string[] {
  const { kind, target } = effect;
  const text = showInvisible(target);
  if (!text.includes("\n")) return [`${effectVerbs[kind]} ${text}${formatNote(effect)}`];
  return [`${effectVerbs[kind]}:${formatNote(effect)}`, ...asBlock(text.split("\n"))];
}

function formatNote({ kind, target, within }: Effect): string {
  if (within || kind === "run" || target.startsWith("memory:")) return "";
  if (kind === "connect" && target.startsWith("mcp:")) return "";
  return kind === "connect" ? "  (not an allowed host)" : "  (outside the allowed folders)";
}

/** `key: value`, each on its own line; a text of several lines below its key. */
function argumentLines(params: unknown): string[] {
  if (!isRecord(params)) return bounded(showInvisible(JSON.stringify(params) ?? String(params)));
  const lines = Object.entries(params).flatMap(([key, value]) => {
    const text = showInvisible(typeof value === "string" ? value : (JSON.stringify(value) ?? String(value)));
    const name = showInvisible(key);
    return text.includes("\n")
      ? [`${name}:`, ...asBlock(bounded(text))]
      : bounded(text).map((line, at) => (at === 0 ? `${name}: ${line}` : line));
  });
  return lines.length === 0 ? ["no arguments"] : lines;
}

/** Lines that belong together, an empty one too. */
function asBlock(lines: readonly string[]): string[] {
  return lines.map((line) => `  | ${line}`);
}

function bounded(text: string): string[] {
  const shown = cutHead(text, maxValueChars).split("\n").slice(0, maxValueLines);
  const hidden = text.length - shown.join("\n").length;
  return hidden > 0 ? [...shown, `[${hidden} more characters are not shown]`] : shown;
}
