import { hash } from "node:crypto";
import { parseJson } from "../../../base/index.ts";
import { boundedText } from "../../../db/index.ts";
import {
  type Approval,
  type ApprovalAnswer,
  type CallKey,
  type Effect,
  type GrantOffer,
  type Redact,
  type Remember,
  redactEffect,
} from "../../../kernel/index.ts";
import { digestOfAskedCall, fromOriginText, toOriginText } from "../../ledger/index.ts";
import type { ApprovalState, KeptApproval, ListedApproval } from "./approval-store.ts";
import type { ApprovalRow } from "./tables.ts";

/** Longer arguments are kept for people to read as the beginning of their text. */
const maxParamsChars = 1_000_000;
const maxTextChars = 4000;

export function toRow(
  approval: Approval,
  key: CallKey | undefined,
  redact: Redact = (text) => text,
): ApprovalRow {
  const { origin, folder, project } = approval;
  return {
    id: approval.id,
    digest: (key && digestOfAskedCall(key)) ?? null,
    scope: approval.scope,
    agent_id: approval.agentId ?? null,
    user_id: approval.userId ?? null,
    call_id: approval.callId,
    tool_name: approval.toolName,
    tool_title: boundedText(approval.toolTitle, maxTextChars),
    tool_version: approval.toolVersion,
    params_text: paramsText(approval.params, redact),
    effects: JSON.stringify(approval.effects.map((effect) => redactEffect(effect, redact))),
    folder: folder === undefined ? null : boundedText(redact(folder), maxTextChars),
    reason: boundedText(redact(approval.reason), maxTextChars),
    // What it is offered to stand for is exact or it is nothing.
    offers: JSON.stringify(approval.offers.filter((offer) => isClean(offer, redact))),
    approvers: JSON.stringify(approval.approvers),
    origin: toOriginText(origin),
    state: "pending",
    created_at: approval.createdAt,
    waits_until: approval.waitsUntil ?? null,
    expires_at: approval.expiresAt,
    answered_at: null,
    answered_by: null,
    answer_reason: null,
    remember: null,
    used_at: null,
    used_by: null,
    session: origin?.session ?? null,
    project: project === undefined ? null : boundedText(redact(project), maxTextChars),
  };
}

export function toKept(row: ApprovalRow, now: number): KeptApproval {
  const params = row.params_text === "null" ? null : (parseJson(row.params_text) ?? row.params_text);
  return { ...toListed(row, now), params, digest: digestOfShown(row) };
}

/** SHA-256 (hex) of everything that whoever answers is shown of a question, and of the call that the answer is for. */
export function digestOfShown(row: ApprovalRow): string {
  const { id, digest, scope, agent_id, user_id, origin, tool_name, tool_title, tool_version } = row;
  const { params_text, effects, folder, reason, offers, approvers } = row;
  const who = [scope, agent_id, user_id, origin];
  const what = [tool_name, tool_title, tool_version, params_text, effects, folder, reason, offers, approvers];
  return hash("sha256", JSON.stringify(["haft question 1", id, digest, who, what]));
}

/** What is read of a question that is listed. */
export interface ListedColumns extends Omit<ApprovalRow, "params_text" | "effects"> {
  /** Null: too long for a list. */
  readonly effects: string | null;
}

/** Maximum length of a question's effects, as JSON, in a list. A list has up to a thousand questions. */
export const maxListedEffectsChars = 16_000;

/** The columns of a list beside the effects. */
export const listedColumns: readonly Exclude<keyof ListedColumns, "effects">[] = [
  "id",
  "digest",
  "scope",
  "agent_id",
  "user_id",
  "call_id",
  "tool_name",
  "tool_title",
  "tool_version",
  "folder",
  "reason",
  "offers",
  "approvers",
  "origin",
  "state",
  "created_at",
  "waits_until",
  "expires_at",
  "answered_at",
  "answered_by",
  "answer_reason",
  "remember",
  "used_at",
  "used_by",
  "session",
  "project",
];

export function toListed(row: ListedColumns, now: number): ListedApproval {
  return {
    id: row.id,
    callId: row.call_id,
    toolName: row.tool_name,
    toolTitle: row.tool_title,
    toolVersion: row.tool_version,
    effects: row.effects === null ? [] : (JSON.parse(row.effects) as Effect[]),
    ...(row.effects === null && { hasLongEffects: true }),
    folder: row.folder ?? undefined,
    reason: row.reason,
    offers: readOffers(row),
    scope: row.scope,
    agentId: row.agent_id ?? undefined,
    userId: row.user_id ?? undefined,
    origin: fromOriginText(row.origin),
    project: row.project ?? undefined,
    approvers: readApprovers(row),
    createdAt: row.created_at,
    waitsUntil: row.waits_until ?? undefined,
    expiresAt: row.expires_at,
    state: findApprovalState(row, now),
    reusable: row.digest !== null,
    answer: readAnswer(row),
    ...readWithdrawal(row),
    answeredAt: row.answered_at ?? undefined,
    usedAt: row.used_at ?? undefined,
    usedBy: row.used_by ?? undefined,
  };
}

/** Reads why a question, or the yes that was given to it, was taken back. Empty if it was not. */
export function readWithdrawal({
  state,
  answer_reason: why,
}: Pick<ApprovalRow, "state" | "answer_reason">): Pick<ListedApproval, "withdrawn"> {
  return state === "expired" && why !== null ? { withdrawn: why } : {};
}

/** What of a row tells what became of its question. */
export type SettledColumns = Pick<
  ApprovalRow,
  "id" | "state" | "expires_at" | "answered_by" | "answer_reason" | "remember"
>;

export function findApprovalState(
  { state, expires_at }: Pick<ApprovalRow, "state" | "expires_at">,
  now: number,
): ApprovalState {
  return (state === "pending" || state === "approved") && expires_at <= now ? "expired" : state;
}

/** Undefined where nobody has answered. */
export function readAnswer(row: SettledColumns): ApprovalAnswer | undefined {
  const by = row.answered_by;
  if (by === null) return undefined;
  if (row.state === "denied")
    return { approved: false, by, ...(row.answer_reason !== null && { reason: row.answer_reason }) };
  return {
    approved: true,
    by,
    ...(row.remember !== null && { remember: JSON.parse(row.remember) as Remember }),
  };
}

export function readOffers({ offers }: Pick<ApprovalRow, "offers">): readonly GrantOffer[] {
  return JSON.parse(offers) as GrantOffer[];
}

export function readApprovers({ approvers }: Pick<ApprovalRow, "approvers">): readonly string[] {
  return JSON.parse(approvers) as string[];
}

type AnswerColumns = Pick<
  ApprovalRow,
  "state" | "answered_at" | "answered_by" | "answer_reason" | "remember"
>;

/** The columns that an answer fills. */
export function answerColumns(answer: ApprovalAnswer, now: number): AnswerColumns {
  const given = { answered_at: now, answered_by: boundedText(answer.by, maxTextChars) };
  if (answer.approved) {
    const remember = answer.remember === undefined ? null : JSON.stringify(answer.remember);
    return { ...given, state: "approved", answer_reason: null, remember };
  }
  const reason = answer.reason === undefined ? null : boundedText(answer.reason, maxTextChars);
  return { ...given, state: "denied", answer_reason: reason, remember: null };
}

function paramsText(params: unknown, redact: Redact): string {
  let text: string;
  try {
    text = redact(JSON.stringify(params) ?? "null");
  } catch {
    return '"[not a JSON value]"';
  }
  return text.length <= maxParamsChars ? text : JSON.stringify(boundedText(text, maxParamsChars));
}

function isClean(offer: GrantOffer, redact: Redact): boolean {
  const text = JSON.stringify(offer);
  return redact(text) === text;
}
