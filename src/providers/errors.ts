import { CodedError } from "../base/index.ts";

/** Why a model that runs elsewhere could not be used; the host's codes come beside them. */
export const modelErrorCodes = ["MODEL_SETUP", "MODEL_STATUS", "MODEL_ANSWER", "MODEL_TIMEOUT"] as const;
export type ModelErrorCode = (typeof modelErrorCodes)[number];

/** A model's provider did not do what it was asked. */
export class ModelError extends CodedError<ModelErrorCode> {
  override readonly name = "ModelError";
}
