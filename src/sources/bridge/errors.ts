import { CodedError } from "../../base/index.ts";

/** Faults between haft and a host program. `docs/reference/errors.md` explains each. */
export const bridgeErrorCodes = [
  "BRIDGE_NOT_CONNECTED",
  "BRIDGE_GONE",
  "BRIDGE_BUSY",
  "BRIDGE_FAILED",
  "BRIDGE_PROTOCOL",
  "BRIDGE_TOOL",
] as const;
export type BridgeErrorCode = (typeof bridgeErrorCodes)[number];

/** What a call of a host program's tool meets, and what a host program is told: see {@link bridgeErrorCodes}. */
export class BridgeError extends CodedError<BridgeErrorCode> {
  override readonly name = "BridgeError";
}
