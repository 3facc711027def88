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
export type ConfigErrorCode = (typeof configErrorCodes)[number];

export class ConfigError extends CodedError<ConfigErrorCode> {
  override readonly name = "ConfigError";
}

/** Error codes of the owner's PIN. */
export const pinErrorCodes = ["PIN_REQUIRED", "PIN_WRONG", "PIN_LOCKED", "PIN_UNFIT"] as const;
export type PinErrorCode = (typeof pinErrorCodes)[number];

export class PinError extends CodedError<PinErrorCode> {
  override readonly name = "PinError";
}
