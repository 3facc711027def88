import { CodedError } from "../base/index.ts";

/** Every code the command line itself fails with. `docs/reference/errors.md` explains each. */
export const cliErrorCodes = [
  "CLI_USAGE",
  "CLI_COMMAND_UNKNOWN",
  "CLI_ARGUMENT",
  "CLI_INPUT",
  "CLI_NOT_FOUND",
  "CLI_FILE",
  "CLI_FILE_EXISTS",
  "CLI_UNCONFIRMED",
  "CLI_CANCELLED",
  "CLI_BUSY",
] as const;
export type CliErrorCode = (typeof cliErrorCodes)[number];

/** What was typed can't be done as it stands. `message` says what to type instead. */
export class CliError extends CodedError<CliErrorCode> {
  override readonly name = "CliError";
}
