import { type Clock, systemClock } from "../../base/index.ts";
import { type Admission, BearerToken } from "../http/bearer-token.ts";
import { sendJson } from "../http/json.ts";
import type { Allowance } from "../http/minute-count.ts";
import type { HttpRequest, HttpResponse } from "../http/port.ts";
import { OwnerFault, toOwnerFault } from "./owner-fault.ts";

export interface OwnerGuardOptions {
  /** What the owner shows as bearer token. MCP clients must not have it: an agent could approve itself. */
  readonly token: string;
  /** Rejects where the PIN is not the owner's; resolves where none is asked for. @default none is */
  readonly checkPin?: (pin: string | undefined) => Promise<void>;
  readonly clock?: Clock;
}

export type OwnerHandler = (request: HttpRequest, response: HttpResponse) => Promise<void>;

/** A person answers a few questions a minute, a console asks every second; a program that guesses is slowed down. */
const allowance: Allowance = { admitted: 600, refused: 30 };
/**
 * Lets only the owner's requests through, and answers with JSON what an {@link OwnerFault} says. The caller has checked
 * Host and Origin before.
 */
export function guardOwner(options: OwnerGuardOptions, answer: OwnerHandler): OwnerHandler {
  const token = new BearerToken(options.token, options.clock ?? systemClock, allowance);
  return async (request, response) => {
    try {
      refuseStrangers(token.admit(request));
      await options.checkPin?.(readPin(request));
      await answer(request, response);
    } catch (thrown) {
      const { status, message: error, code, headers } = toOwnerFault(thrown);
      request.resume();
      sendJson(response, { status, text: toPlainJson({ error, code }), headers });
    }
  };
}

/** The token alone answers nothing where there is a PIN, and lists nothing: it lies in a file that a program of yours can read. */
function readPin({ headers }: HttpRequest): string | undefined {
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

/** Nothing but visible ASCII: what a terminal shows of it is all there is. */
export function toPlainJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2);
  return `${text.replace(/[^\n\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}
