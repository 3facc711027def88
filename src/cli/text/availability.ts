import type { NumberedRule, Whereabouts } from "../../app/index.ts";
import type { Availability, AvailabilityReason } from "../../kernel/index.ts";
import type { ToolScores } from "../../search/index.ts";
import type { Terminal } from "../terminal.ts";
import { describeScores } from "./found.ts";
import { describeRule } from "./rule.ts";

/** What is known of a name. */
export interface Why {
  readonly availability: Availability;
  readonly agent: string | undefined;
  readonly whereabouts: readonly Whereabouts[];
  /** Which lists of definitions have it. Absent: none, as it is not shown. */
  readonly inLists?: PlaceInLists;
  /** The scores that the search gives it for a goal; no scores: it is not found. */
  readonly found?: { readonly goal: string; readonly scores: ToolScores | undefined };
  /** The tools that can be called and have the nearest names; none where the name exists. */
  readonly nearest: readonly string[];
  /** The rule in the way, and where it stands. */
  readonly findRule: (reason: AvailabilityReason) => PlacedRule | undefined;
}

export type PlaceInLists = "core" | "pinned" | "finder" | "on demand";

interface PlacedRule extends NumberedRule {
  readonly place: string;
}

/** Three lines, one for each of shown, callable and allowed, and below them what to do. */
export function renderWhy(why: Why, terminal: Terminal): string {
  const { availability, agent, nearest, whereabouts } = why;
  const { name, tool } = availability;
  const origin = tool?.origin === undefined ? [] : [`from ${tool.origin}`];
  const facts = [...origin, ...(agent === undefined ? [] : [`for the agent ${agent}`])].join(", ");
  const lines = [
    `${terminal.paint("bold", terminal.foreign(name))}${facts === "" ? "" : `  ${terminal.paint("dim", terminal.foreign(facts))}`}`,
    ...(["shown", "callable", "allowed"] as const).flatMap((key) => partLines(key, why, terminal)),
    ...(why.inLists === undefined ? [] : [`  in lists  ${placeWords[why.inLists]}`]),
    ...(why.found === undefined ? [] : [`  search    ${terminal.foreign(foundText(why.found))}`]),
  ];
  if (nearest.length > 0) lines.push(`Nearest: ${nearest.join(", ")}`);
  for (const { message, remedy } of whereabouts)
    lines.push(
      `  ${terminal.foreign(message)}${remedy === undefined || message.includes(remedy) ? "" : `; to have it: ${terminal.foreign(remedy)}`}`,
    );
  const remedies = listRemedies(why);
  if (remedies.length > 0)
    lines.push("To change that:", ...remedies.map((one) => `  ${terminal.foreign(one)}`));
  return `${lines.join("\n")}\n`;
}

const placeWords: Readonly<Record<PlaceInLists, string>> = {
  core: "in all, also in lean ones: it is of the core tier",
  pinned: "in all, also in lean ones: tools.pinned names it",
  finder: "in lean ones: it leads to what they leave out",
  "on demand": "in whole ones; in a lean one once it is loaded, and search_tools and call_tool lead to it",
};

function foundText({ goal, scores }: NonNullable<Why["found"]>): string {
  return `for "${goal}": ${scores === undefined ? "not found" : describeScores(scores)}`;
}

function partLines(key: keyof typeof labels, why: Why, terminal: Terminal): string[] {
  const { is } = why.availability[key];
  const word = is ? terminal.paint("green", "yes") : terminal.paint("red", "no ");
  return formatPart(key, why).map((text, at) => {
    const shown = terminal.foreign(text);
    return at === 0 ? `  ${labels[key]}  ${word}  ${shown}` : `${" ".repeat(17)}${shown}`;
  });
}

const labels = { shown: "shown   ", callable: "callable", allowed: "allowed " } as const;

/** What is not callable or not allowed is not shown for that alone: its reasons stand there. */
function formatPart(key: keyof typeof labels, why: Why): string[] {
  const { shown, callable, allowed } = why.availability;
  const { reasons } = why.availability[key];
  if (key !== "shown" || shown.is) return reasons.map((reason) => formatReason(reason, why));
  const hidden = reasons.filter(({ code }) => code === "HIDDEN").map((reason) => formatReason(reason, why));
  const others = [
    ...(callable.is ? [] : ["it is not callable"]),
    ...(allowed.is ? [] : ["it is not allowed"]),
  ];
  return [...hidden, ...others];
}

function formatReason(reason: AvailabilityReason, { findRule }: Why): string {
  const found = findRule(reason);
  if (found === undefined) return reason.message;
  const { reason: _why, ...rule } = found.rule;
  return `${reason.message}: rule ${found.number}, ${describeRule(rule)}`;
}

function listRemedies({ availability: { tool, shown, callable, allowed }, findRule }: Why): string[] {
  if (tool === undefined) return [];
  const inTheWay = [shown, callable, allowed].flatMap(({ is, reasons }) => (is ? [] : reasons));
  const remedies = inTheWay.flatMap((reason) => {
    const place = findRule(reason)?.place;
    return reason.remedy === undefined
      ? []
      : [place === undefined ? reason.remedy : `${reason.remedy} (${place})`];
  });
  return Array.from(new Set(remedies));
}

/** What keeps a caller from a tool, in a word or two; undefined where nothing does. */
export function obstacleTo({ shown, callable, allowed }: Availability): string | undefined {
  if (!allowed.is) return "not allowed";
  if (!callable.is) return "not callable";
  return shown.is ? undefined : "hidden";
}
