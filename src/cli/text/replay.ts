import type { ReplayedCall } from "../../app/index.ts";
import { showInvisible } from "../../base/index.ts";
import type { Paint, Terminal } from "../terminal.ts";

type Outcome = ReplayedCall["outcome"];

const paints: Readonly<Record<Outcome, Paint>> = {
  same: "green",
  stands: "dim",
  unchecked: "yellow",
  different: "red",
};
const width = Math.max(...Object.keys(paints).map((outcome) => outcome.length));

/** One line, and for a difference what was and what is. */
export function renderReplayedCall(call: ReplayedCall, terminal: Terminal): string {
  const mark = terminal.paint(paints[call.outcome], call.outcome.padEnd(width));
  const line = `${mark}  ${call.callId}  ${terminal.paint("bold", showInvisible(call.toolName))}  ${terminal.foreign(call.why)}\n`;
  if (call.outcome !== "different") return line;
  const indent = " ".repeat(width + 2);
  return `${line}${indent}then  ${showLine(call.recorded)}\n${indent}now   ${showLine(call.now)}\n`;
}

/** How many calls came to what. */
export function renderReplay(calls: readonly ReplayedCall[], complete: boolean): string {
  const counts = (Object.keys(paints) as Outcome[]).flatMap((outcome) => {
    const count = calls.filter((call) => call.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${outcome}`];
  });
  const rest = complete ? "" : "; the calls after it were not looked at, --all goes on";
  return `${calls.length} ${calls.length === 1 ? "call" : "calls"}: ${counts.join(", ")}${rest}\n`;
}

function showLine(text: string): string {
  return showInvisible(JSON.stringify(text).slice(1, -1));
}
