import type { Tool, ToolLimits, ToolRegistry } from "../kernel/index.ts";

type Tools = Pick<ToolRegistry, "get">;

/**
 * The tools of one part of an agent, as a pack that takes them from the registry. They are named one by one: what is
 * registered later under another name is in no collection until somebody puts it there.
 */
export interface ToolCollection {
  readonly name: string;
  readonly description: string;
  readonly alwaysLoad: false;
  /** Names, also of tools that an installation may not have. */
  readonly tools: readonly string[];
  readonly factories: readonly ((registry: Tools) => Tool | null)[];
  /** Leave a caller these tools and no others. */
  readonly limits: readonly ToolLimits[];
}

const systemTools = ["current_time", "sleep", "get_env", "set_env", "artifact_read", "artifact_search"];
const networkTools = ["http_get", "http_post", "http_request", "web_read", "web_search"];
const dataTools = ["json_parse", "json_stringify", "base64_encode", "base64_decode"];
const memoryReaders = ["memory_list", "memory_read"];
const memoryWriters = ["memory_write", "memory_patch", "memory_append"];
const taskTools = ["task_list", "task_replay"];
const sessionReaders = ["session_archive_read"];

/** The tools in both vocabularies; a profile has one of them. */
const fileTools = [
  "read_file",
  "write_file",
  "list_files",
  "delete_file",
  "move_file",
  "get_file_info",
  "edit_file",
  "grep_files",
  "read",
  "write",
  "edit",
  "glob",
  "grep",
  "listdir",
  "undo_changes",
];

/** What a task works with. To start tasks and to speak to people is the main agent's alone. */
export const allTaskTools: ToolCollection = collection(
  "allTaskTools",
  "What a background task works with: system, files, network, data, memory and earlier tasks",
  [
    ...systemTools,
    ...fileTools,
    ...networkTools,
    ...dataTools,
    ...memoryReaders,
    ...memoryWriters,
    ...taskTools,
  ],
);

/** Reads memory and the history of tasks, and writes neither: work is done by the tasks that it starts. */
export const mainAgentTools: ToolCollection = collection(
  "mainAgentTools",
  "What the main agent directs by: the time, memory and earlier tasks to read, tasks to start, the word to the user",
  ["current_time", ...memoryReaders, ...taskTools, ...sessionReaders, "spawn_task", "reply"],
);

/** Without `memory_list`: whoever reflects is given the index of the memory at the start. */
export const reflectionTools: ToolCollection = collection(
  "reflectionTools",
  "What is learnt from a finished task by: reading and writing the memory",
  ["memory_read", ...memoryWriters],
);

export const sessionTools: ToolCollection = collection(
  "sessionTools",
  "Reading what a session archived",
  sessionReaders,
);

export const toolCollections: readonly ToolCollection[] = [
  allTaskTools,
  mainAgentTools,
  reflectionTools,
  sessionTools,
];

/** Those of a collection that are registered, in its order. */
export function collectionTools({ factories }: ToolCollection, registry: Tools): readonly Tool[] {
  return factories.map((take) => take(registry)).filter((tool) => tool !== null);
}

function collection(name: string, description: string, tools: readonly string[]): ToolCollection {
  const factories = tools.map((tool) => (registry: Tools) => registry.get(tool) ?? null);
  const limits = [{ by: `the collection ${name}`, allowedTools: tools }];
  return { name, description, alwaysLoad: false, tools, factories, limits };
}
