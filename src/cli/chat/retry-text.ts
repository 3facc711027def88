import type { RequestRetry } from "../../agent/index.ts";
import { formatSpan } from "../text/span.ts";

/** What went wrong with a request, in a few words. */
const causes: Readonly<Record<string, string>> = {
  MODEL_RATE_LIMIT: "the provider says that there were too many requests",
  MODEL_OVERLOADED: "the provider is overloaded",
  MODEL_QUOTA: "the account of the provider is used up",
  MODEL_STATUS: "the provider has a fault",
  MODEL_CUT: "the answer was cut off",
  MODEL_SILENT: "nothing comes from the model any more",
  MODEL_TIMEOUT: "the answer takes too long",
  MODEL_AUTH: "the provider does not take the key",
  MODEL_UNKNOWN: "the provider does not know the model",
};

/** Says why a request is made again, and when: `the server … does not answer; trying again in 4 s (2 of 3)`. */
export function describeRetry({ code, why, next, waitMs, retry, origin }: RequestRetry): string {
  const cause =
    code === "CONNECT_FAILED" && origin !== undefined
      ? `the server at ${origin.replace(/^https?:\/\//, "")} does not answer`
      : (causes[code] ?? why);
  if (retry === undefined) return `${cause}; asking ${next} now`;
  const wait = waitMs < 1000 ? "now" : `in ${formatSpan(waitMs)}`;
  return `${cause}; trying again ${wait} (${retry.number} of ${retry.of})`;
}
