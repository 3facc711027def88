import { z } from "zod";
import type { OpenedFile } from "../../host/index.ts";
import { defineTool, type Tool, type ToolContext } from "../../kernel/index.ts";
import { fileEffect } from "./file-effect.ts";
import { checkSize, defaultLines, maxReadOutputChars, maxWindowChars } from "./limits.ts";
import { filePath, offsetLines } from "./parameters.ts";
import { markSeen, type SeenFiles } from "./seen-files.ts";
import type { FileServices } from "./services.ts";
import { readText } from "./text/read-text.ts";
import { type TextEncoding, textEncodings } from "./text/text-encoding.ts";

const parameters = z.strictObject({
  path: filePath,
  encoding: z
    .enum([...textEncodings, "base64"])
    .optional()
    .describe(
      "Found out where left out; base64 gives the bytes of any file (offset and limit then count bytes).",
    ),
  offset: offsetLines,
  limit: z.int().min(1).max(100_000).default(defaultLines).describe("Lines to read at most."),
});

export interface ReadFileResult {
  readonly content: string;
  /** Bytes of the whole file. */
  readonly size: number;
  /** The lines of the whole file; 0 for bytes. */
  readonly totalLines: number;
  /** Set if there is more: the offset that continues. */
  readonly nextOffset?: number;
  readonly note?: string;
}

/** Base64 of so many bytes fits a result. */
const maxRawBytes = 75_000;

/** What is the same in both forms of `read_file`: they differ in parameters and in how lines are counted. */
export const readFileTraits: Pick<Tool, "name" | "title" | "category" | "annotations" | "maxOutputChars"> = {
  name: "read_file",
  title: "Read a file",
  category: "file",
  annotations: { readOnly: true, idempotent: true, openWorld: false },
  maxOutputChars: maxReadOutputChars,
};

export function readFileTool(services: FileServices, seen: SeenFiles): Tool {
  return defineTool({
    ...readFileTraits,
    description:
      "Read a text file, or a window of its lines. The result has the content, the size in bytes, the number of lines, and nextOffset if there is more.",
    parameters,
    timeoutMs: 10_000,
    effects: ({ path }, context) => [fileEffect(services.workspace, "read", path, context)],
    async execute({ path, encoding, offset, limit }, context): Promise<ReadFileResult> {
      using file = services.workspace.open(path, context);
      const { size } = file.status;
      checkSize(file.path, size);
      if (encoding === "base64") {
        const bytes = Buffer.alloc(
          Math.max(0, Math.min(maxRawBytes, limit === defaultLines ? maxRawBytes : limit, size - offset)),
        );
        const content = bytes.subarray(0, file.read(bytes, offset)).toString("base64");
        const next = offset + bytes.length;
        return { content, size, totalLines: 0, ...(next < size && { nextOffset: next }) };
      }
      return await readFileLines(file, { offset, limit, encoding }, seen, context);
    },
  });
}

interface WantedLines {
  /** Lines to skip. */
  readonly offset: number;
  readonly limit: number;
  readonly encoding?: TextEncoding | undefined;
}

/** Reads some lines of an opened text file, and remembers that the caller has seen it. */
export async function readFileLines(
  file: OpenedFile,
  { offset, limit, encoding }: WantedLines,
  seen: SeenFiles,
  context: ToolContext,
): Promise<ReadFileResult> {
  const found = await readText(file, {
    offset,
    limit,
    maxChars: maxWindowChars,
    countAll: true,
    signal: context.signal,
    ...(encoding !== undefined && { encoding }),
  });
  const changed = !file.isUnchanged();
  if (!changed) await markSeen(seen, file, context);
  const notes = [
    ...(changed ? ["the file was changed while it was read; read it again"] : []),
    ...(found.lineCut ? [`line ${offset + 1} is longer than ${maxWindowChars} characters and cut`] : []),
    ...(found.encoding === "utf-8" ? [] : [`the file is in ${found.encoding}`]),
  ];
  return {
    content: found.text,
    size: file.status.size,
    totalLines: found.totalLines ?? 0,
    ...(found.nextOffset !== undefined && { nextOffset: found.nextOffset }),
    ...(notes.length > 0 && { note: notes.join("; ") }),
  };
}
