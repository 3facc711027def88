// An agent in a program: a model, a gate and its tools. One conversation in memory.
export {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  createAgent,
  Interrupts,
  type RequestRetry,
  type RunEnd,
  type RunStop,
  type SendOptions,
} from "../agent/index.ts";
export type {
  AnswerEntry,
  Entry,
  EntryContent,
  EntryFacts,
  EntryKind,
  InterruptEntry,
  NoteEntry,
  ParkedEntry,
  PruneEntry,
  ResultEntry,
  SummaryEntry,
  UserEntry,
} from "../modules/sessions/index.ts";
