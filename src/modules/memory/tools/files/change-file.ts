import type { CallContext, Effect, ToolContext } from "../../../../kernel/index.ts";
import { findMemoryScope, toMemoryCaller } from "../../store/memory-caller.ts";
import type { ChangedFile, MemoryFiles } from "./memory-files.ts";
import { memoryPath } from "./memory-path.ts";
import { isMarked, withMark } from "./memory-text.ts";

/** What a tool that changed a file returns. */
export interface ChangedFileResult {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly note?: string;
}

/** The effect of a call on one memory file. */
export function memoryFileEffect(
  files: MemoryFiles,
  kind: "read" | "write",
  path: string,
  context: CallContext,
): readonly Effect[] {
  return [files.folder(findMemoryScope(context)).effect(kind, memoryPath(path))];
}

/** Changes a file for a call. What holds data from outside says so from then on, until a person takes the mark away. */
export async function changeFile(
  files: MemoryFiles,
  given: string,
  context: ToolContext,
  make: (former: string | undefined) => string,
): Promise<ChangedFileResult> {
  const { scope, author, trust } = toMemoryCaller(context);
  const { effects, signal } = context;
  const changed = await files.change(scope, memoryPath(given), { effects, signal, author }, (former) => {
    const text = make(former);
    return trust === "untrusted" || (former !== undefined && isMarked(former)) ? withMark(text) : text;
  });
  return toResult(changed);
}

function toResult({ path, size, kept }: ChangedFile): ChangedFileResult {
  return {
    path,
    size,
    ...(kept && { note: "what it held before is kept; memory_read with former 1 shows it" }),
  };
}
