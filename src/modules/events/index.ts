export { type EventKind, noteEvents } from "./store/note-events.ts";
