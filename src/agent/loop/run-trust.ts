import type { Trust } from "../../kernel/index.ts";
import type { Journal } from "./journal.ts";

/**
 * The trust that a run's calls are made with: the worst of the trust that it was begun with and of the messages that it
 * has taken in. A stranger's words may be behind all that the model does once it has read them, so the run stays untrusted
 * to its end, through pauses, restarts and summaries too. The next run begins anew: in it the same words are data, which
 * the gate knows again in arguments.
 */
export function findRunTrust({ trust }: Pick<Journal, "trust">, begun: Trust = "trusted"): Trust {
  return trust === "untrusted" ? trust : begun;
}
