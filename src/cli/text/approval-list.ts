import { cutTail, showInvisible } from "../../base/index.ts";
import { describeEffects, type GrantOffer, type Remember } from "../../kernel/index.ts";
import type { KeptApproval, ListedApproval } from "../../modules/approvals/index.ts";
import type { Terminal } from "../terminal.ts";
import { describeAsker, describeStanding, isAwaited, renderApproval } from "./approval.ts";
import { toLocalTime } from "./local-time.ts";
import { formatSpan } from "./span.ts";
import { renderTable } from "./table.ts";

interface ListedAt {
  readonly now: number;
  /** The parked runs that wait for answers, by the ids of the questions. @default none */
  readonly waitingRuns?: ReadonlyMap<string, unknown>;
}

/** One line a question: who asks, for what, where, since when, for how much longer, and whether a call waits. */
export function renderApprovalList(
  approvals: readonly ListedApproval[],
  terminal: Terminal,
  { now, waitingRuns = new Map() }: ListedAt,
): string {
  return renderTable(
    [
      { title: "Question", whole: true, paint: (text) => terminal.paint("bold", text) },
      { title: "Asked" },
      { title: "By" },
      { title: "State" },
      { title: "In" },
      { title: "To", overflow: "cut" },
    ],
    approvals.map((approval) => [
      approval.id,
      `${formatSpan(now - approval.createdAt)} ago`,
      showInvisible(describeAsker(approval)),
      stateText(approval, now, waitingRuns.has(approval.id)),
      showInvisible(shortFolder(approval, terminal.width)),
      showInvisible(
        `${approval.toolName}: ${approval.hasLongEffects ? "more than a list can show" : describeEffects(approval.effects)}`,
      ).replace(/\s+/g, " "),
    ]),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
}

/** All of one question, as it was asked, and what came of it. */
export function renderKeptApproval(
  approval: KeptApproval,
  terminal: Terminal,
  { now, runId }: { readonly now: number; readonly runId?: string | undefined },
): string {
  const asked = renderApproval(approval, {
    width: terminal.width,
    paint: (paint, text) => terminal.paint(paint, text),
    standing:
      approval.state === "pending" ? describeStanding(approval, now, runId) : stateText(approval, now),
  });
  const { answer, usedBy, withdrawn } = approval;
  const facts: [string, string | undefined][] = [
    ["asked", toLocalTime(approval.createdAt)],
    ["for", approval.approvers.join(", ") || "nobody"],
    ["answered", answer && `${answer.approved ? "yes" : "no"}, by ${answer.by}`],
    ["reason", answer?.approved === false ? answer.reason : undefined],
    ["as", answer?.approved === true && answer.remember ? describeRemember(answer.remember) : undefined],
    ["withdrawn", withdrawn && `as ${withdrawn}`],
    ["used by", usedBy],
    ...approval.offers.map((offer): [string, string] => ["yes as", describeOffer(offer)]),
  ];
  const rows = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [[name.padEnd(9), showInvisible(value)]],
  );
  const table = renderTable(
    [
      { title: "", paint: (text) => terminal.paint("dim", text) },
      { title: "", overflow: "wrap" },
    ],
    rows,
    { width: terminal.width, titles: false, indent: "  " },
  );
  return `${asked.trimStart().trimEnd()}\n${table}`;
}

/** `wider: run npm test with any arguments (session, time)`. */
function describeOffer({ id, label, terms }: GrantOffer): string {
  return `${id}: ${label} (${terms.join(", ")})`;
}

function describeRemember({ offer, term }: Remember): string {
  return `${offer}, for ${typeof term === "number" ? formatSpan(term) : term}`;
}

function stateText(approval: ListedApproval, now: number, runWaits = false): string {
  const { state, expiresAt } = approval;
  if (state !== "pending" && state !== "approved") return state;
  const waiting = runWaits ? "a run waits" : isAwaited(approval, now) && "a call waits";
  const word = (state === "pending" && waiting) || state;
  return `${word}, ${formatSpan(expiresAt - now)} left`;
}

/** The end of a long one, where a line is short: what the call will do has to fit beside it. */
function shortFolder({ folder = "" }: ListedApproval, width: number): string {
  const most = Math.max(12, Math.floor(width / 6));
  return folder.length <= most ? folder : `…${cutTail(folder, most - 1)}`;
}
