import type { CallContext, Trust } from "../../kernel/index.ts";
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

/** The context of each call of a run, with the trust of the run. */
export function toRunContext({
  journal,
  context,
}: {
  readonly journal: Pick<Journal, "trust">;
  readonly context: () => CallContext;
}): CallContext {
  const given = context();
  const trust = findRunTrust(journal, given.trust);
  return trust === given.trust ? given : { ...given, trust };
}
