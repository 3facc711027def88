import { CodedError } from "../../base/index.ts";

/** The same fault, with more to its message. What is no fault of ours is left as it is. */
export function tellMore(thrown: unknown, more: string): unknown {
  if (!(thrown instanceof CodedError) || thrown.code === "CLI_CANCELLED") return thrown;
  const { message, code, details } = thrown;
  return new CodedError<string>(code, `${message} ${more}`, { cause: thrown, details });
}
