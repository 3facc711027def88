import { showInvisible } from "../../base/index.ts";
import { type Effect, effectVerbs } from "../tool/effect.ts";
import { coversEffect, describePattern } from "../tool/effect-pattern.ts";
import type { EffectPattern, GrantKey, GrantOffer, GrantTerm, Remember } from "./approval.ts";
import { describeEffects } from "./permission-text.ts";
import type { Remembrance } from "./rules.ts";
import { generalise, type WiderPattern } from "./suggest-grant.ts";

type Term = GrantOffer["terms"][number];

/** Nobody reads a longer list before an answer. */
const mostPatterns = 4;

/**
 * What a yes to these effects can be remembered as, at most for as long as `longest` says: exactly the call, and,
 * where each of its effects can be read and has no known risk, what is near it. An effect that can't be read, or is
 * risky, is allowed for a session or a time at most; one that can't be read and has no sandbox around it, just once.
 */
export function offersFor(
  key: Pick<GrantKey, "allowedPaths">,
  longest: Remembrance,
  effects: readonly Effect[],
): readonly GrantOffer[] {
  if (longest === "never" || effects.some(({ opaque, confined }) => opaque && !confined)) return [];
  const doubtful = effects.some(({ opaque, risk }) => opaque === true || risk !== undefined);
  const exact: GrantOffer = {
    id: "exact",
    label: "exactly this call",
    covers: describeEffects(effects),
    leaves: "the same tool with any other argument, or in another folder",
    terms: listTerms(longest, doubtful),
  };
  const wider = doubtful ? undefined : widerOffer(key, longest, effects);
  const project = projectOffer(longest, effects);
  return [exact, wider, project].filter((offer) => offer !== undefined);
}

/** Offer for the project's own programs: in the sandbox their changes can be undone, whatever their arguments are. */
function projectOffer(longest: Remembrance, effects: readonly Effect[]): GrantOffer | undefined {
  const pattern: EffectPattern = { kind: "run", target: "", reach: "project", confined: true };
  if (effects.length === 0 || !effects.every((effect) => coversEffect(pattern, effect))) return undefined;
  return {
    id: "project",
    label: describePattern(pattern),
    patterns: [pattern],
    covers: "run npm test, tsc, pytest, make or node x.js, with any arguments",
    leaves: "run npm install, code given as text, anything with hosts, or outside the sandbox",
    terms: listTerms(longest, false),
  };
}

/** The offer that an answer names, if it was made, for as long as the answer wants. */
export function makeGrantOffer(
  offers: readonly GrantOffer[],
  { offer: id, term }: Remember,
): GrantOffer | undefined {
  const kind = kindOfTerm(term);
  return kind && offers.find((offer) => offer.id === id && offer.terms.includes(kind));
}

function kindOfTerm(term: GrantTerm): Term | undefined {
  if (typeof term !== "number") return term;
  return Number.isFinite(term) && term > 0 ? "time" : undefined;
}

function widerOffer(
  { allowedPaths }: Pick<GrantKey, "allowedPaths">,
  longest: Remembrance,
  effects: readonly Effect[],
): GrantOffer | undefined {
  const found = effects.map((effect) => generalise(effect, allowedPaths));
  const patterns = new Map<string, EffectPattern>();
  for (const [at, { kind, target, confined }] of effects.entries()) {
    const pattern: EffectPattern = found[at]?.pattern ?? {
      kind,
      target,
      reach: "same",
      ...(confined === true && { confined }),
    };
    patterns.set(JSON.stringify(pattern), pattern);
  }
  if (patterns.size > mostPatterns) return undefined;
  const list = Array.from(patterns.values());
  // What is a near miss of one pattern may be what another one covers.
  const shown = found.find((one) => one !== undefined && !list.some((pattern) => coversMiss(pattern, one)));
  if (shown === undefined) return undefined;
  const say = (target: string) => `${effectVerbs[shown.pattern.kind]} ${showInvisible(target)}`;
  return {
    id: "wider",
    label: list.map((pattern) => showInvisible(describePattern(pattern))).join(", and "),
    patterns: list,
    covers: say(shown.covers),
    leaves: say(shown.leaves),
    terms: listTerms(longest, !list.every(isForGood)),
  };
}

function coversMiss({ kind, target, reach }: EffectPattern, { pattern, leaves }: WiderPattern): boolean {
  return coversEffect({ kind, target, reach }, { kind: pattern.kind, target: leaves, within: false });
}

/** Deleting is never allowed for good, nor is code of the project that could reach all of the machine. */
function isForGood({ kind, reach, confined }: EffectPattern): boolean {
  return kind !== "delete" && !(kind === "run" && reach === "arguments" && confined !== true);
}

function listTerms(longest: Remembrance, doubtful: boolean): readonly Term[] {
  if (longest === "session") return ["session"];
  return doubtful ? ["session", "time"] : ["session", "time", "always"];
}
