import { CodedError } from "../../base/index.ts";

/** Every code that a network tool fails with by its own doing; the connector's codes pass through. */
export const networkErrorCodes = [
  "PAGE_STATUS",
  "PAGE_NOT_TEXT",
  "PAGE_UNREADABLE",
  "PAGE_OFFSET",
  "SEARCH_SETUP",
  "SEARCH_REFUSED",
  "SEARCH_ANSWER",
] as const;
export type NetworkErrorCode = (typeof networkErrorCodes)[number];

/** A page or a search that did not come to anything. `details.status` has the server's answer, where that was it. */
export class NetworkError extends CodedError<NetworkErrorCode> {
  override readonly name: string = "NetworkError";
}
