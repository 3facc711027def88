import { type RawBuilder, sql } from "kysely";

/** At which time it has to be so, Unix ms; or whatever any entry says that was not deleted. */
export type When = number | "ever";

/** The graph that is read: of which scope, and as of which time. */
export interface GraphQuery {
  readonly scope: string;
  readonly when: When;
  readonly now: number;
}

/** Whether the entry `entry` still says what the statement `said` has of it. */
export function holds(when: When): RawBuilder<boolean> {
  if (when === "ever") return sql<boolean>`"entry"."deleted_at" is null`;
  return sql<boolean>`"entry"."deleted_at" is null and "entry"."superseded_by" is null
    and coalesce("said"."valid_from", "entry"."valid_from", ${when}) <= ${when}
    and coalesce("said"."valid_to", "entry"."valid_to", ${when} + 1) > ${when}`;
}
