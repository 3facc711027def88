import type { Clock } from "./clock.ts";

/**
 * Renews a lease after each third of it, until the returned function is called.
 *
 * @param renew Resolves with false once the lease is another's. Where it rejects, it is called again before the lease ends.
 * @param onLost Called once the lease is another's.
 */
export function keepLease({
  clock,
  leaseMs,
  renew,
  onLost,
}: {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly renew: () => Promise<boolean>;
  readonly onLost: () => void;
}): () => void {
  let stopped = false;
  let cancel = () => {};
  const renewLater = () => {
    cancel = clock.after(leaseMs / 3, () => {
      void renew().then(
        (kept) => {
          if (!kept && !stopped) onLost();
        },
        () => undefined,
      );
      if (!stopped) renewLater();
    });
  };
  renewLater();
  return () => {
    stopped = true;
    cancel();
  };
}
