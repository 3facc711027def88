import type { ConsoleApi } from "../../../../src/server/console/api/index.ts";

export type EntriesPage = ConsoleApi["GET /chat/sessions/:id"]["answer"];
export type Entry = EntriesPage["rows"][number];
export type Run = NonNullable<EntriesPage["run"]>;
export type AgentEvent = ConsoleApi["GET /chat/runs/:id/events"]["answer"]["events"][number];
/** How a call ended, as an entry or an event has it. */
export type Result = Extract<AgentEvent, { readonly type: "call.ended" }>["result"];
export type EntryOf<Kind extends Entry["kind"]> = Extract<Entry, { readonly kind: Kind }>;
