import type { JsonSchema } from "../../kernel/index.ts";
import { apiSettings, modelProviders } from "../../model/index.ts";

/** The schema for `memory`. */
export const memorySettings: JsonSchema = {
  type: "object",
  description: "What agents remember, and by which tools.",
  additionalProperties: false,
  properties: {
    vocabularies: {
      type: "array",
      uniqueItems: true,
      items: { enum: ["memories", "blocks", "files", "notes"] },
      description:
        "The tools of memory: memories (memory_store, memory_recall, …), blocks (block, recall, search, …), files (memory_write, memory_read, … on Markdown files), notes (write_note, view_profile, …). All of them work on one memory. By default memories in the profiles coding and full, files in task, notes in queue. An empty list turns memory off.",
    },
    project: {
      type: "string",
      minLength: 1,
      maxLength: 100,
      pattern: "^[^/\\u0000-\\u001f]+$",
      description:
        "The project whose notes and profile are meant where none is named (default: the name of the folder and six characters that tell it from others of that name).",
    },
    folder: {
      type: "string",
      minLength: 1,
      description: "The folder of memory's Markdown files (default: memory, in haft's own folder).",
    },
    model: apiSettings(
      "/chat/completions",
      "The model that notes what conversations tell, and sums up. It is sent what is in memory. Without one nothing is summed up by itself.",
      { provider: { enum: modelProviders } },
    ),
  },
};
