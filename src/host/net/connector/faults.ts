import { getErrorCode, getErrorMessage } from "../../../base/index.ts";
import { HostError } from "../../errors.ts";
import { showUrl, type WebAddress } from "./web-address.ts";

const states: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name has no address; check the spelling",
  EAI_AGAIN: "its name could not be looked up; check the network and try again",
  ECONNREFUSED: "nothing listens there; check the port and that the server runs",
  EHOSTUNREACH: "there is no way to that host from here; check the network",
  ENETUNREACH: "there is no way to that network from here; check the network",
  ETIMEDOUT: "it did not take the connection in time; try again later",
  UND_ERR_CONNECT_TIMEOUT: "it did not take the connection in time; try again later",
  UND_ERR_HEADERS_TIMEOUT: "it sent no answer in time; try again later",
  UND_ERR_BODY_TIMEOUT: "its answer stopped coming; try again later",
  UND_ERR_HEADERS_OVERFLOW: "its answer has more headers than are read (16 kB); get it with a command",
  UND_ERR_SOCKET: "it closed the connection; try again later",
  ECONNRESET: "it closed the connection; try again later",
  EPIPE: "it closed the connection; try again later",
  EPROTO: "it does not speak TLS there; try http://",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS there; try http://",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name; use the name it is for",
  CERT_HAS_EXPIRED: "its certificate has expired; its owner has to renew it",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "its certificate is signed by itself; give its authority to Node by NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN:
    "its certificate is of an unknown authority; give that to Node by NODE_EXTRA_CA_CERTS",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate is of an unknown authority; give that to Node by NODE_EXTRA_CA_CERTS",
  Z_DATA_ERROR: "its answer is not compressed as it says; ask for it with accept-encoding identity",
  Z_BUF_ERROR: "its compressed answer ends too early; try again later",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "its answer is not as long as it says; try again later",
};

/** The error to throw for whatever went wrong between us and `target`: the signal's reason if that was it. */
export function toConnectError(thrown: unknown, target: WebAddress, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (thrown instanceof HostError) return thrown;
  const code = innermostCode(thrown);
  const state = states[code ?? ""] ?? describe(thrown, code);
  return new HostError("CONNECT_FAILED", `Cannot get "${showUrl(target.url.href)}": ${state}`, {
    cause: thrown,
    details: { origin: target.origin, reason: code ?? "unknown" },
  });
}

/** The innermost code, of the error itself or of what caused it. */
function innermostCode(thrown: unknown): string | undefined {
  if (thrown instanceof AggregateError) return innermostCode(thrown.errors[0]);
  if (!(thrown instanceof Error)) return undefined;
  return getErrorCode(thrown) ?? innermostCode(thrown.cause);
}

function describe(thrown: unknown, code: string | undefined): string {
  const isParserError = thrown instanceof Error && thrown.name === "HTTPParserError";
  if (isParserError) return `what it sent is not HTTP: ${thrown.message}`;
  return `${getErrorMessage(thrown)}${code === undefined ? "" : ` (${code})`}`;
}
