import { parseJson } from "../../base/index.ts";
import {
  type ApprovalState,
  type ApprovalStore,
  approvalStates,
  type KeptApproval,
  type ListedApproval,
} from "../../modules/approvals/index.ts";
import { isJson, sendJson } from "../http/json.ts";
import type { HttpRequest } from "../http/port.ts";
import { readBody } from "../http/read-body.ts";
import { readOwnerAnswer } from "./owner-answer.ts";
import { ownerPath } from "./owner-endpoint.ts";
import { approvalNotFound, OwnerFault } from "./owner-fault.ts";
import { guardOwner, type OwnerGuardOptions, type OwnerHandler, toPlainJson } from "./owner-guard.ts";

/** The approvals that the owner sees and answers. */
export type OwnerApprovals = Pick<ApprovalStore, "list" | "get" | "answer">;

export interface OwnerHttpOptions extends OwnerGuardOptions {
  readonly approvals: OwnerApprovals;
}

/** An answer is a few words. */
const mostBodyBytes = 16_384;

/** The owner's side of `haft serve`: approvals are listed, looked at and answered, in JSON. */
export function createOwnerHandler({ approvals, ...options }: OwnerHttpOptions): OwnerHandler {
  return guardOwner(options, async (request, response) => {
    const text = toPlainJson(await answerTo(approvals, request));
    sendJson(response, { status: 200, text });
  });
}

async function answerTo(approvals: OwnerApprovals, request: HttpRequest): Promise<unknown> {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://owner.invalid");
  if (pathname === ownerPath) {
    expectMethod(request, "GET");
    const state = readState(searchParams.get("state") ?? "pending");
    const found = await approvals.list(state === "all" ? {} : { state });
    return { approvals: found.map(toView) };
  }
  const id = /^\/approvals\/([\w-]{1,100})$/.exec(pathname)?.[1];
  if (id === undefined) throw approvalNotFound(pathname.slice(ownerPath.length + 1, 100));
  expectMethod(request, "GET", "POST");
  if (request.method === "POST") await decide(approvals, id, request);
  return toView(await find(approvals, id));
}

async function decide(approvals: OwnerApprovals, id: string, request: HttpRequest): Promise<void> {
  if (!isJson(request))
    throw new OwnerFault(415, "Cannot read the answer: its Content-Type must be application/json");
  const body = await readBody(request, mostBodyBytes);
  if (body === undefined) {
    const message = `Cannot read the answer: it is longer than ${mostBodyBytes} bytes; send less`;
    throw new OwnerFault(413, message, { headers: { connection: "close" } });
  }
  const answer = readOwnerAnswer(parseJson(body.toString()), await find(approvals, id), "owner:http");
  await approvals.answer(id, answer);
}

async function find(approvals: OwnerApprovals, id: string): Promise<KeptApproval> {
  const found = await approvals.get(id);
  if (found === undefined) throw approvalNotFound(id);
  return found;
}

function expectMethod({ method = "" }: HttpRequest, ...allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  throw new OwnerFault(405, `Cannot ${method} this: the methods are ${allowed.join(" and ")}`, {
    headers: { allow: allowed.join(", ") },
  });
}

function readState(text: string): ApprovalState | "all" {
  const state = [...approvalStates, "all" as const].find((one) => one === text);
  if (state !== undefined) return state;
  throw new OwnerFault(
    400,
    `Cannot list questions of that state: it must be one of ${approvalStates.join(", ")}, all`,
  );
}

/** Everything but the channel's own handle on who asked. */
function toView({ origin, ...approval }: ListedApproval): Record<string, unknown> {
  return { ...approval, channel: origin?.channel };
}
