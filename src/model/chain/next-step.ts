import { CodedError } from "../../base/index.ts";
import type { ModelErrorCode } from "../errors.ts";

/** What is known when a model of a chain has failed. */
export interface FailedRequest {
  readonly error: unknown;
  /** How often this model was asked for this answer, this time too. */
  readonly tries: number;
  /** Whether another model was asked before, or this one is the first choice. */
  readonly isFallback: boolean;
  /** Whether another model may answer what the provider of this one refuses. */
  readonly refusalFallsBack: boolean;
  /** The chance that waits differ by: from 0 up to 1, without it. */
  readonly random: number;
}

/**
 * What is done then: the same model again, after a while; another of the chain; or nothing, and who asked is told.
 * `restMs`: how long the model should not be asked first, where that is clear at once; `quota`: nor any that shares its
 * limits, and another of those is no help.
 */
export type ChainStep =
  | { readonly do: "again"; readonly waitMs: number }
  | { readonly do: "other"; readonly quota: boolean; readonly restMs?: number }
  | { readonly do: "stop" };

/** A provider that wants to be left alone for longer than this is not waited for. */
const longestWaitMs = 30_000;
const emptyQuotaMs = 900_000;
const restMs = 60_000;

/** What becomes of each error. A code that is not there is one of the host: a connection that failed. */
const kinds: Readonly<Record<ModelErrorCode, "busy" | "quota" | "passing" | "setup" | "final">> = {
  MODEL_RATE_LIMIT: "busy",
  MODEL_OVERLOADED: "busy",
  MODEL_QUOTA: "quota",
  MODEL_STATUS: "passing",
  MODEL_CUT: "passing",
  MODEL_SILENT: "passing",
  MODEL_TIMEOUT: "passing",
  MODEL_ANSWER: "passing",
  MODEL_AUTH: "setup",
  MODEL_UNKNOWN: "setup",
  MODEL_PACKAGE: "setup",
  MODEL_SETUP: "setup",
  MODEL_CONTEXT: "final",
  MODEL_REFUSED: "final",
  MODEL_BAD_REQUEST: "final",
};

/** What is done when a model has failed. Nothing that was refused once for what it is is asked again. */
export function nextStep(failed: FailedRequest): ChainStep {
  const { error, tries, random } = failed;
  if (!(error instanceof CodedError)) return { do: "stop" };
  const { code, details = {} } = error;
  const wait = details["retryAfterMs"];
  const waitMs = typeof wait === "number" ? wait : undefined;
  switch (readKind(code, details["retry"] === false)) {
    case "busy":
      if (waitMs === undefined) return backOff(tries, random, true);
      if (waitMs > longestWaitMs) return { do: "other", quota: true, restMs: waitMs };
      return tries < 3
        ? { do: "again", waitMs: Math.ceil(waitMs * (1 + random / 4)) }
        : { do: "other", quota: true, restMs: Math.max(waitMs, restMs) };
    case "quota":
      return { do: "other", quota: true, restMs: waitMs ?? emptyQuotaMs };
    case "passing":
      return backOff(tries, random, false);
    case "setup":
      return { do: "other", quota: code === "MODEL_AUTH", restMs };
    case "final":
      return mayAnswerElsewhere(code, failed) ? { do: "other", quota: false } : { do: "stop" };
    default:
      return { do: "stop" };
  }
}

function readKind(code: string, inVain: boolean): (typeof kinds)[ModelErrorCode] {
  if (Object.hasOwn(kinds, code)) {
    const kind = kinds[code as ModelErrorCode];
    return kind === "passing" && inVain ? "setup" : kind;
  }
  return code === "CONNECT_FAILED" ? "passing" : "setup";
}

/** A model that is asked in the place of another may read less than that, or be kept from more. */
function mayAnswerElsewhere(code: string, { isFallback, refusalFallsBack }: FailedRequest): boolean {
  if (code === "MODEL_CONTEXT") return isFallback;
  return code === "MODEL_REFUSED" && refusalFallsBack;
}

/** 1, 2 and 4 s, each a quarter shorter or longer by chance. */
function backOff(tries: number, random: number, quota: boolean): ChainStep {
  if (tries > 3) return { do: "other", quota };
  return { do: "again", waitMs: Math.round(1000 * 2 ** (tries - 1) * (0.75 + random / 2)) };
}
