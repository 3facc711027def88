import { type Clock, RecentMap } from "../../base/index.ts";

interface Health {
  /** Failures in a row. */
  failures: number;
  restUntil: number;
}

const longestRestMs = 900_000;
const firstRestMs = 60_000;

/**
 * Which models should not be asked for a while: one that failed three times running rests for a minute, then for two, up
 * to a quarter of an hour; a quota rests for as long as its provider says. It is kept in memory alone.
 */
export class ModelHealth {
  readonly #clock: Clock;
  readonly #models = new RecentMap<string, Health>(1000);
  readonly #quotas = new RecentMap<string, number>(1000);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  noteSuccess(id: string): void {
    this.#models.delete(id);
  }

  noteFailure(id: string, restMs: number | undefined): void {
    const { failures, restUntil } = this.#models.get(id) ?? { failures: 0, restUntil: 0 };
    const doubled = Math.min(firstRestMs * 2 ** (failures - 2), longestRestMs);
    const rest = restMs ?? (failures >= 2 ? doubled : 0);
    this.#models.set(id, {
      failures: failures + 1,
      restUntil: Math.max(restUntil, this.#clock.now() + rest),
    });
  }

  /** Notes that no model of this quota can be asked for so long. */
  closeQuota(quota: string, restMs: number): void {
    this.#quotas.set(quota, Math.max(this.#quotas.get(quota) ?? 0, this.#clock.now() + restMs));
  }

  /** How long the model should not be asked before another. */
  findRest(id: string, quota: string): number {
    return Math.max(0, (this.#models.get(id)?.restUntil ?? 0) - this.#clock.now(), this.findQuotaRest(quota));
  }

  /** How long no model of this quota can be asked. */
  findQuotaRest(quota: string): number {
    return Math.max(0, (this.#quotas.get(quota) ?? 0) - this.#clock.now());
  }
}
