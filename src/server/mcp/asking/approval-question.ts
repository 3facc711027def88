import { cutHead, cutTail, showInvisible } from "../../../base/index.ts";
import {
  type Approval,
  type Effect,
  effectVerbs,
  type GrantOffer,
  readShownPlan,
  type ShownCall,
} from "../../../kernel/index.ts";

/** More does not fit a dialog; the middle is what a reader can best do without, and the question says so. */
const mostArgumentChars = 20_000;

/** Everything the call is and will do, where it will run, and what a yes can be remembered as, with nothing hidden in it. */
export function toQuestion(approval: Approval): string {
  const { toolName, toolTitle, toolVersion, params, effects, reason, folder, project } = approval;
  const title = toolTitle === toolName ? "" : ` (${toLine(toolTitle)})`;
  return [
    `Allow the tool ${toolName}${title}, version ${toLine(toolVersion)}, to run?`,
    "",
    ...effectLines(effects),
    ...(folder === undefined ? [] : [`Folder: ${toLine(folder)}`]),
    ...(project === undefined || project === folder ? [] : [`Project: ${toLine(project)}`]),
    "",
    `Asked because: ${toLine(reason)}`,
    ...offerLines(approval),
    "",
    ...paramLines(params),
  ].join("\n");
}

function paramLines(params: unknown): string[] {
  const plan = readShownPlan(params);
  if (plan === undefined) return ["Arguments:", toShownArguments(params, mostArgumentChars)];
  const { calls, rest } = plan;
  // Were only the middle of the whole left out, that could be a call.
  const most = Math.floor(mostArgumentChars / (calls.length + 1));
  return [
    "It makes these calls:",
    ...calls.flatMap((call, at) => [toCallLine(call, at), toShownArguments(call.arguments, most)]),
    ...(Object.keys(rest).length === 0 ? [] : ["", "Its own arguments:", toShownArguments(rest, most)]),
  ];
}

/** `2. save: write, after page`; no line of arguments in JSON can begin like it. */
function toCallLine({ step, tool, after }: ShownCall, at: number): string {
  const waits = after.length === 0 ? "" : `, after ${after.join(", ")}`;
  return toLine(`${at + 1}. ${step}: ${tool}${waits}`);
}

/** A text in one line: nothing in it can look like another line of the question. */
export function toLine(text: string): string {
  return showInvisible(text).replaceAll("\n", "\\u{a}").replaceAll("\t", "\\u{9}");
}

function effectLines(effects: readonly Effect[]): string[] {
  if (effects.length === 0) return ["It does not say what it will do."];
  const runs = effects.filter(({ kind }) => kind === "run");
  const isolations = new Set(runs.map(({ isolation }) => isolation));
  const [only] = isolations;
  const differs = isolations.size > 1;
  const lines = effects.map((effect) => {
    const isolation = differs && effect.kind === "run" ? ` [${toIsolation(effect.isolation)}]` : "";
    return `- ${effectVerbs[effect.kind]} ${toLine(effect.target)}${formatNote(effect)}${isolation}`;
  });
  return ["It will:", ...lines, ...(differs || only === undefined ? [] : [`Isolation: ${toLine(only)}`])];
}

function toIsolation(isolation: string | undefined): string {
  return isolation === undefined ? "isolation not known" : toLine(isolation);
}

function formatNote({ kind, target, within }: Effect): string {
  if (within || kind === "run" || target.startsWith("memory:")) return "";
  if (kind === "connect" && target.startsWith("mcp:")) return "";
  return kind === "connect" ? " (not an allowed host)" : " (outside the allowed folders)";
}

function offerLines({ offers, origin }: Approval): string[] {
  if (offers.length === 0) return [];
  const lines = ["", "A yes can be remembered for:", ...offers.map(toOfferLine)];
  if (offers.some(({ terms }) => terms.includes("session"))) {
    const end = origin?.session === undefined ? "when haft is stopped" : "with the client's connection";
    lines.push(`"This session" ends ${end}, at the latest.`);
  }
  return lines;
}

function toOfferLine({ label, patterns, covers, leaves }: GrantOffer): string {
  if (patterns === undefined) return `- ${exactly}`;
  return `- ${toLine(label)}; that covers "${toLine(covers)}" too, and still asks for "${toLine(leaves)}"`;
}

export const exactly = "exactly this call";

function toShownArguments(params: unknown, most: number): string {
  const text = showInvisible(JSON.stringify(params, undefined, 2) ?? "none");
  if (text.length <= most) return text;
  const head = cutHead(text, most * 0.7);
  const tail = cutTail(text, most * 0.2);
  return `${head}\n[… ${text.length - head.length - tail.length} of ${text.length} characters are not shown here …]\n${tail}`;
}
