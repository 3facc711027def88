import { z } from "zod";
import {
  defineTool,
  labelledContent,
  type Tool,
  type ToolContent,
  trustMark,
} from "../../../../kernel/index.ts";
import { findMemoryScope } from "../../store/memory-caller.ts";
import type { IndexedFile } from "./file-index.ts";
import { saysLittle } from "./memory-path.ts";
import type { MemoryFileServices } from "./services.ts";

const parameters = z.strictObject({});

interface ListedFile {
  readonly path: string;
  readonly summary: string;
  /** Bytes. */
  readonly size: number;
  /** It holds text from outside: its summary is seen where it is read. */
  readonly trust?: "untrusted";
  /** Why the file can't be read or searched. */
  readonly problem?: string;
}

export function memoryListTool({ files }: MemoryFileServices): Tool {
  return defineTool({
    name: "memory_list",
    title: "List memory files",
    description:
      "List the files of long-term memory with their summaries: facts/ holds what is known, episodes/ what happened. Read one with memory_read.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: (_params, context) => [files.folder(findMemoryScope(context)).effect("read")],
    async execute(_params, context): Promise<readonly ListedFile[] | ToolContent> {
      const found = await files.sync(findMemoryScope(context), context.signal);
      const listed = found.map(toListed);
      return labelledContent(
        listed,
        found.filter(({ path }) => !saysLittle(path)),
      );
    },
  });
}

/**
 * Were the list from outside as soon as one file is, every path that was taken from it would be too, and with it all
 * that is written there.
 */
function toListed({ path, summary, size, trust, problem }: IndexedFile): ListedFile {
  return {
    path,
    summary: trust === "trusted" ? summary : "",
    size,
    ...trustMark({ trust }),
    ...(problem !== undefined && { problem }),
  };
}
