import { selectionToolNames } from "../tool-names.ts";

/** The core, as far as an installation has it: tasks, a search of the memory, the word to people. */
const seedCore = [
  "create_task",
  "list_tasks",
  "edit_task",
  "get_task",
  "claim_task",
  "complete_task",
  "memory_search",
  "send_message",
] as const;

/** Who does not see that there is a memory neither looks into it nor keeps anything: one tool to look, one to keep, a vocabulary. */
const memoryTools = [
  "memory_recall",
  "memory_store",
  "memory_list",
  "memory_append",
  "search",
  "block",
  "write_note",
] as const;

/** A question to the person must never have to be looked for first. */
const askingTools = ["telegram_ask", "reply"] as const;

const taskFiles = ["read_file", "edit_file", "write_file", "list_files", "grep_files"];

const always = [...selectionToolNames, ...seedCore, ...memoryTools, ...askingTools];

/**
 * What an interaction shows from the start, by profile; names that no tool has show nothing.
 *
 * A tool is here if most tasks need it in their first turns, so that to look for it would cost a turn nearly always:
 * files are read, found, searched and changed, a command is run, the web answers what the model does not know, and what was
 * too long to show is read on. What is needed now and then (listing a folder, moving a file, requests to an API,
 * environment, time, secrets, undo) is one search away.
 */
export const coreTools: Readonly<Record<"coding" | "task" | "full" | "queue", readonly string[]>> = {
  coding: ["read", "edit", "write", "glob", "grep", "bash", "web_search", "artifact_read", ...always],
  task: [...taskFiles, "web_search", "artifact_read", ...always],
  full: [...taskFiles, "bash", "web_search", "artifact_read", ...always],
  queue: [...taskFiles, "bash", "web_search", "artifact_read", ...always],
};
