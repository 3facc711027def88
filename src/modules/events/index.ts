export { noteEvents } from "./store/note-events.ts";
