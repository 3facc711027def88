import { CodedError } from "../base/index.ts";

/** Why something that a user brought is no tool, or one that does not do what it says. `docs/reference/errors.md` explains each. */
export const sourceErrorCodes = [
  "SOURCE_NOT_TRUSTED",
  "SOURCE_UNREADABLE",
  "SOURCE_MISPLACED",
  "SOURCE_NAME_TAKEN",
  "FRONT_MATTER_MISSING",
  "FRONT_MATTER_SYNTAX",
  "FIELD_UNKNOWN",
  "FIELD_MISSING",
  "FIELD_INVALID",
  "COMMAND_SYNTAX",
  "COMMAND_NEEDS_SHELL",
  "COMMAND_PARAMETER",
  "COMMAND_VALUE",
  "COMMAND_VARIABLE",
  "COMMAND_FAILED",
  "SOURCE_NOT_CONNECTED",
  "MANIFEST_NOT_FOUND",
  "INVALID_MANIFEST",
  "AGENT_NOT_FOUND",
  "PAGE_NOT_FOUND",
  "THEME_INVALID",
] as const;

/** One of {@link sourceErrorCodes}. */
export type SourceErrorCode = (typeof sourceErrorCodes)[number];

/** A tool that a user brought can't be used, or failed. `message` says what to do about it. */
export class SourceError extends CodedError<SourceErrorCode> {
  override readonly name = "SourceError";
}

/** Faults between haft and a host program. `docs/reference/errors.md` explains each. */
export const bridgeErrorCodes = [
  "BRIDGE_NOT_CONNECTED",
  "BRIDGE_GONE",
  "BRIDGE_BUSY",
  "BRIDGE_FAILED",
  "BRIDGE_PROTOCOL",
  "BRIDGE_TOOL",
] as const;

/** One of {@link bridgeErrorCodes}. */
export type BridgeErrorCode = (typeof bridgeErrorCodes)[number];

/** What a call of a host program's tool meets, and what a host program is told: see {@link bridgeErrorCodes}. */
export class BridgeError extends CodedError<BridgeErrorCode> {
  override readonly name = "BridgeError";
}
