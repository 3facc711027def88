import type { AnswerTo } from "../../net/api.ts";

export type EntriesPage = AnswerTo<"GET /chat/sessions/:id">;
export type Entry = EntriesPage["rows"][number];
export type Run = NonNullable<EntriesPage["run"]>;
export type Session = EntriesPage["session"];
export type AgentEvent = AnswerTo<"GET /chat/runs/:id/events">["events"][number];
/** How a call ended, as an entry or an event has it. */
export type Result = Extract<AgentEvent, { readonly type: "call.ended" }>["result"];
export type EntryOf<Kind extends Entry["kind"]> = Extract<Entry, { readonly kind: Kind }>;
