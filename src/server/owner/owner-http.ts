import { type Clock, systemClock } from "../../base/index.ts";
import {
  type ApprovalState,
  type ApprovalStore,
  approvalStates,
  type KeptApproval,
  type ListedApproval,
} from "../../modules/approvals/index.ts";
import { type Admission, type Allowance, BearerToken } from "../http/bearer-token.ts";
import { isJson, sendJson } from "../http/json.ts";
import type { HttpRequest, HttpResponse } from "../http/port.ts";
import { readBody } from "../http/read-body.ts";
import { readOwnerAnswer } from "./owner-answer.ts";
import { ownerPath } from "./owner-endpoint.ts";
import { approvalNotFound, OwnerFault, toOwnerFault } from "./owner-fault.ts";

/** The approvals that the owner sees and answers. */
export type OwnerApprovals = Pick<ApprovalStore, "list" | "get" | "answer">;

export interface OwnerHttpOptions {
  readonly approvals: OwnerApprovals;
  /** What the owner shows as bearer token. MCP clients must not have it: an agent could approve itself. */
  readonly token: string;
  /** Rejects where the PIN is not the owner's; resolves where none is asked for. @default none is */
  readonly checkPin?: (pin: string | undefined) => Promise<void>;
  readonly clock?: Clock;
}

/** A person answers a few questions a minute, a console asks every second; a program that guesses is slowed down. */
const allowance: Allowance = { admitted: 600, refused: 30 };
/** An answer is a few words. */
const mostBodyBytes = 16_384;

/**
 * The owner's side of `haft serve`: approvals are listed, looked at and answered, in JSON. Whoever calls has checked
 * Host and Origin before.
 */
export function createOwnerHandler(
  options: OwnerHttpOptions,
): (request: HttpRequest, response: HttpResponse) => Promise<void> {
  const { approvals } = options;
  const token = new BearerToken(options.token, options.clock ?? systemClock, allowance);
  return async (request, response) => {
    try {
      refuseStrangers(token.admit(request));
      await options.checkPin?.(pinOf(request));
      const text = toPlainJson(await answerTo(approvals, request));
      sendJson(response, { status: 200, text });
    } catch (thrown) {
      const { status, message: error, code, headers } = toOwnerFault(thrown);
      request.resume();
      sendJson(response, { status, text: toPlainJson({ error, code }), headers });
    }
  };
}

/** The token alone answers nothing where there is a PIN, and lists nothing: it lies in a file that a program of yours can read. */
function pinOf({ headers }: HttpRequest): string | undefined {
  const given = headers["haft-pin"];
  return Array.isArray(given) ? given[0] : given;
}

function refuseStrangers(admission: Admission): void {
  switch (admission) {
    case "admitted":
      return;
    case "too many":
      throw new OwnerFault(
        429,
        "Cannot take the request: there were too many in this minute; try again later",
        {
          headers: { "retry-after": "60" },
        },
      );
    case "no token":
    case "wrong token": {
      const why = admission === "no token" ? "it has no token" : "its token is not the owner's";
      throw new OwnerFault(
        401,
        `Cannot take the request: ${why}; send the owner's token as \`Authorization: Bearer …\``,
        { headers: { "www-authenticate": 'Bearer realm="haft owner"' } },
      );
    }
    default:
      admission satisfies never;
  }
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
  const answer = readOwnerAnswer(body.toString(), await find(approvals, id));
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

/** Nothing but visible ASCII: what a terminal shows of it is all there is. */
function toPlainJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2);
  return `${text.replace(/[^\n\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}
