import type { Rule } from "../policy/rules.ts";
import type { ToolInfo } from "../tool/tool-info.ts";
import { entryNaming, type ToolLimits } from "../tool/tool-limits.ts";

/** Why a tool is shown, callable or allowed, or is not. `docs/guide/availability.md` explains each. */
export const availabilityCodes = [
  "LISTED",
  "HIDDEN",
  "REACHED",
  "UNKNOWN",
  "QUARANTINED",
  "HIDDEN_NOT_CALLABLE",
  "UNRESTRICTED",
  "ALLOW_LISTED",
  "BLOCKED",
  "NOT_ALLOW_LISTED",
  "RULE_DENIES",
  "MODE_LOCKED",
] as const;

/** One of {@link availabilityCodes}. */
export type AvailabilityCode = (typeof availabilityCodes)[number];

/** A single thing that makes a tool available, or is in its way. */
export interface AvailabilityReason {
  readonly code: AvailabilityCode;
  /** What holds, as half a sentence. */
  readonly message: string;
  /** What to change, and where. Absent where nothing is in the way. */
  readonly remedy?: string;
  /** The rule that decides. */
  readonly rule?: Rule;
}

/** One answer about a tool (shown, callable or allowed), and why. */
export interface AvailabilityPart {
  readonly is: boolean;
  /** One at least: of a no, everything that is in the way. */
  readonly reasons: readonly AvailabilityReason[];
}

/** What one caller has of one tool. What is shown is always callable and allowed. */
export interface Availability {
  readonly name: string;
  /** Undefined where there is none of that name. */
  readonly tool: ToolInfo | undefined;
  /** It stands in the list of definitions. */
  readonly shown: AvailabilityPart;
  /** Its name leads to it: it is there and can be used, and may be called where it is not shown. */
  readonly callable: AvailabilityPart;
  /** Lists, rules and mode leave it to this caller. One call of it may still be asked about, or refused for what it does. */
  readonly allowed: AvailabilityPart;
}

/** A name, and what the registry has for it. */
export interface Candidate {
  readonly name: string;
  readonly tool: ToolInfo | undefined;
  /** Why the tool is in quarantine; undefined: it is not. */
  readonly fault: string | undefined;
  /** Reason why rules and mode refuse every call of the tool, whatever its arguments; undefined if they do not. */
  readonly refused: AvailabilityReason | undefined;
}

/** Decides whether a tool is shown, callable and allowed under these limits, for the gate and for every list of tools. */
export function findAvailability(candidate: Candidate, limits: readonly ToolLimits[]): Availability {
  const { name, tool } = candidate;
  const hiding = findHiding(name, limits);
  const callable = toPart(listObstacles(candidate, hiding), reached);
  const allowed = toPart(listRefusals(candidate, limits), listGranting(name, limits));
  const inTheWay = [callable, allowed].flatMap(({ is, reasons }) => (is ? [] : reasons));
  const hidden = hiding.map(({ by, place }) => hiddenBy(by, place));
  return { name, tool, callable, allowed, shown: toPart([...hidden, ...inTheWay], listed) };
}

function toPart(
  inTheWay: readonly AvailabilityReason[],
  otherwise: readonly AvailabilityReason[],
): AvailabilityPart {
  return inTheWay.length > 0 ? { is: false, reasons: inTheWay } : { is: true, reasons: otherwise };
}

function findHiding(name: string, limits: readonly ToolLimits[]): readonly ToolLimits[] {
  return limits.filter(
    ({ shownTools }) => shownTools !== undefined && entryNaming(shownTools, name) === undefined,
  );
}

function listObstacles({ tool, fault }: Candidate, hiding: readonly ToolLimits[]): AvailabilityReason[] {
  if (tool === undefined) return [noSuchTool];
  const obstacles = hiding
    .filter(({ callHidden = true }) => !callHidden)
    .map(({ by, place }) => uncallableBy(by, place));
  if (fault !== undefined) obstacles.push(quarantined(fault));
  return obstacles;
}

function listRefusals({ name, refused }: Candidate, limits: readonly ToolLimits[]): AvailabilityReason[] {
  const refusals: AvailabilityReason[] = [];
  for (const { by, place, allowedTools, blockedTools = noNames, blocks } of limits) {
    const entry = entryNaming(blockedTools, name);
    if (entry !== undefined)
      refusals.push(
        blocks === undefined
          ? blocked(entry, by, place)
          : { code: "BLOCKED", message: blocks.why, remedy: blocks.remedy },
      );
    if (allowedTools !== undefined && entryNaming(allowedTools, name) === undefined)
      refusals.push(notListed(name, by, place));
  }
  return refused === undefined ? refusals : [...refusals, refused];
}

function listGranting(name: string, limits: readonly ToolLimits[]): readonly AvailabilityReason[] {
  const granted = limits.flatMap(({ by, allowedTools = noNames }) => {
    const entry = entryNaming(allowedTools, name);
    return entry === undefined ? [] : [allowListed(entry, by)];
  });
  return granted.length > 0 ? granted : unrestricted;
}

const noNames: readonly string[] = [];
const listed: readonly AvailabilityReason[] = [{ code: "LISTED", message: "lists of tools have it" }];
const reached: readonly AvailabilityReason[] = [
  { code: "REACHED", message: "a call by its name reaches it" },
];
const unrestricted: readonly AvailabilityReason[] = [
  { code: "UNRESTRICTED", message: "no list, rule or mode keeps it from this caller" },
];
const noSuchTool: AvailabilityReason = {
  code: "UNKNOWN",
  message: "there is no tool of this name",
  remedy: "list the tools for the names",
};

function quarantined(fault: string): AvailabilityReason {
  return {
    code: "QUARANTINED",
    message: `it can't be used: ${fault}`,
    remedy: "put its schema right where the tool is defined",
  };
}

function hiddenBy(by: string, place: string | undefined): AvailabilityReason {
  return {
    code: "HIDDEN",
    message: `shownTools of ${by} leaves it out`,
    remedy: `add it to ${keyIn("shownTools", place)}`,
  };
}

function uncallableBy(by: string, place: string | undefined): AvailabilityReason {
  return {
    code: "HIDDEN_NOT_CALLABLE",
    message: `${by} may call only tools that are shown, and shownTools leaves it out`,
    remedy: `add it to ${keyIn("shownTools", place)}`,
  };
}

function blocked(entry: string, by: string, place: string | undefined): AvailabilityReason {
  return {
    code: "BLOCKED",
    message: `blockedTools of ${by} has "${entry}"`,
    remedy: `take "${entry}" out of ${keyIn("blockedTools", place)}`,
  };
}

function notListed(name: string, by: string, place: string | undefined): AvailabilityReason {
  return {
    code: "NOT_ALLOW_LISTED",
    message: `it is not among the allowedTools of ${by}`,
    remedy: `add "${name}" to ${keyIn("allowedTools", place)}`,
  };
}

function allowListed(entry: string, by: string): AvailabilityReason {
  return { code: "ALLOW_LISTED", message: `allowedTools of ${by} has "${entry}"` };
}

function keyIn(key: string, place: string | undefined): string {
  return place === undefined ? `${key}, which whoever calls sets` : `${key} of ${place}`;
}
