import { getErrorCode, getErrorMessage } from "../../base/index.ts";

/** A request of the owner's side that is answered with an error. */
export class OwnerFault extends Error {
  override readonly name = "OwnerFault";
  readonly status: number;
  /** A code from a public table, where the fault is one of ours. */
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    { code, headers = {}, cause }: { code?: string; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

const statuses: Readonly<Record<string, number>> = {
  APPROVAL_NOT_FOUND: 404,
  APPROVAL_NOT_YOURS: 403,
  APPROVAL_NOT_OFFERED: 400,
  APPROVAL_CHANGED: 409,
  APPROVAL_ANSWERED: 409,
  APPROVAL_EXPIRED: 409,
  PIN_REQUIRED: 401,
  PIN_WRONG: 403,
  PIN_LOCKED: 429,
};

/** The fault that an error of an approval, or of the PIN, is; anything else is thrown again. */
export function toOwnerFault(thrown: unknown): OwnerFault {
  if (thrown instanceof OwnerFault) return thrown;
  const code = getErrorCode(thrown);
  const status = code === undefined ? undefined : statuses[code];
  if (code === undefined || status === undefined) throw thrown;
  return new OwnerFault(status, getErrorMessage(thrown), { code, cause: thrown });
}

export function approvalNotFound(id: string): OwnerFault {
  return new OwnerFault(
    404,
    `Cannot find the question "${id}": there is none of that id; GET /approvals lists them`,
    {
      code: "APPROVAL_NOT_FOUND",
    },
  );
}
