import { CodedError } from "../base/index.ts";

/** Faults of the installation: its configuration and its home folder. */
export const configErrorCodes = [
  "CONFIG_SYNTAX",
  "CONFIG_INVALID",
  "CONFIG_VARIABLE",
  "CONFIG_CHANGED",
  "HOME_UNUSABLE",
  "HOME_IN_USE",
  "BACKUP_FAILED",
  "BACKUP_DAMAGED",
  "BACKUP_PLACE",
] as const;

/** One of {@link configErrorCodes}. */
export type ConfigErrorCode = (typeof configErrorCodes)[number];

/**
 * The configuration, or the home folder, cannot be used. `message` names the file and what to change.
 *
 * @example
 * ```ts
 * const fault = await parseConfig("mode: [", "haft.config.yml", () => undefined).catch(
 *   (error: unknown) => error,
 * );
 * fault instanceof ConfigError && fault.code; // → "CONFIG_SYNTAX"
 * ```
 */
export class ConfigError extends CodedError<ConfigErrorCode> {
  override readonly name = "ConfigError";
}

/** Why an agent can't begin. */
export const agentSetupErrorCodes = [
  "AGENT_MODEL",
  "AGENT_SESSION",
  "AGENT_FOLDER",
  "AGENT_MODE",
  "AGENT_UNKNOWN",
] as const;

/** One of {@link agentSetupErrorCodes}. */
export type AgentSetupErrorCode = (typeof agentSetupErrorCodes)[number];

/** An agent can't begin. Nothing was asked of a model. */
export class AgentSetupError extends CodedError<AgentSetupErrorCode> {
  override readonly name = "AgentSetupError";
}

/** Error codes of the owner's PIN. */
export const pinErrorCodes = ["PIN_REQUIRED", "PIN_WRONG", "PIN_LOCKED", "PIN_UNFIT"] as const;

/** One of {@link pinErrorCodes}. */
export type PinErrorCode = (typeof pinErrorCodes)[number];

/** The owner's PIN was wrong, is missing, or cannot be one. */
export class PinError extends CodedError<PinErrorCode> {
  override readonly name = "PinError";
}

/** Why records can't be read. */
export const recordsErrorCodes = ["RECORDS_FAILED"] as const;

/** One of {@link recordsErrorCodes}. */
export type RecordsErrorCode = (typeof recordsErrorCodes)[number];

/**
 * The thread that reads records failed. Nothing was changed, and the next request starts another.
 *
 * @example
 * ```ts
 * const fault: unknown = new RecordsError("RECORDS_FAILED", "Cannot read the records: the thread ended; try again");
 * fault instanceof RecordsError && fault.code; // → "RECORDS_FAILED"
 * ```
 */
export class RecordsError extends CodedError<RecordsErrorCode> {
  override readonly name = "RecordsError";
}
