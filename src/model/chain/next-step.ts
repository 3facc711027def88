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
  /** A random number from 0 up to 1, exclusive, that varies the wait. */
  readonly random: number;
}

/**
 * What to do after a failure: ask the same model again after a wait, ask another of the chain, or throw the error.
 * `retries`: how often one model is asked again at most. `restMs`: how long the model should not be asked, if that is known at once. `quota`: skip every model of the same
 * quota too.
 */
export type ChainStep =
  | { readonly do: "again"; readonly waitMs: number; readonly retries: number }
  | { readonly do: "other"; readonly quota: boolean; readonly restMs?: number }
  | { readonly do: "stop" };

/** The longest wait that a provider may ask for; with a longer one another model is asked. */
const longestWaitMs = 30_000;
const emptyQuotaMs = 900_000;
const restMs = 60_000;

/** How often one model is asked again. `told`: its provider said how long to wait. */
const retries = { told: 2, untold: 3 } as const;

/** What to do about each error. Any other code comes from the host: a connection failed. */
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

/** Decides what to do when a model has failed. A request that the API does not take is never repeated. */
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
      return tries <= retries.told
        ? { do: "again", waitMs: Math.ceil(waitMs * (1 + random / 4)), retries: retries.told }
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

/** A fallback model may read less than the first, or refuse more. */
function mayAnswerElsewhere(code: string, { isFallback, refusalFallsBack }: FailedRequest): boolean {
  if (code === "MODEL_CONTEXT") return isFallback;
  return code === "MODEL_REFUSED" && refusalFallsBack;
}

/** 1, 2 and 4 s, each a quarter shorter or longer by chance. */
function backOff(tries: number, random: number, quota: boolean): ChainStep {
  if (tries > retries.untold) return { do: "other", quota };
  const waitMs = Math.round(1000 * 2 ** (tries - 1) * (0.75 + random / 2));
  return { do: "again", waitMs, retries: retries.untold };
}
