import type { Zone } from "../../../base/index.ts";
import type { Usage } from "../store/usage.ts";

/** What the usage tools work with. */
export interface UsageServices {
  readonly usage: Pick<Usage, "totals">;
  /** Unix ms. @default the clock of this machine */
  readonly now?: () => number;
  /** The time zone whose midnight begins a day. @default the zone of this machine */
  readonly zone?: Zone;
}
