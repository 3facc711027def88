import { z } from "zod";
import type { OpenedFile } from "../../host/index.ts";
import { defineTool, type Tool, ToolContent, type ToolContext } from "../../kernel/index.ts";
import { fileEffect } from "./file-effect.ts";
import { checkSize, defaultLines, maxReadOutputChars, maxWindowChars } from "./limits.ts";
import { detectMedia, maxImageBytes } from "./media.ts";
import { filePath, offsetLines } from "./parameters.ts";
import { readPdf } from "./read-pdf.ts";
import { markSeen, type SeenFiles } from "./seen-files.ts";
import type { FileServices } from "./services.ts";
import { readText } from "./text/read-text.ts";
import { withNotes } from "./text/shown-text.ts";
import { cutWindow } from "./text/text-window.ts";

const parameters = z.strictObject({
  path: filePath,
  limit: z.int().min(1).max(100_000).default(defaultLines).describe("Lines to read at most."),
  offset: offsetLines,
});

export function readTool(services: FileServices, seen: SeenFiles): Tool {
  return defineTool({
    name: "read",
    title: "Read a file",
    description:
      "Read a file: text as it is, without line numbers; images (PNG, JPEG, GIF, WebP) as pictures; PDF as text. Long files come in windows of lines: the note at the end says which offset continues.",
    category: "file",
    parameters,
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    timeoutMs: 10_000,
    maxOutputChars: maxReadOutputChars,
    effects: ({ path }, context) => [fileEffect(services.workspace, "read", path, context)],
    async execute(window, context) {
      using file = services.workspace.open(window.path, context);
      checkSize(file.path, file.status.size);
      const head = Buffer.allocUnsafe(16);
      const media = detectMedia(head.subarray(0, file.read(head, 0)));
      if (media?.kind === "image") return readImage(file, media.mimeType, context);
      const text =
        media?.kind === "pdf"
          ? await readDocument(file, window, context)
          : await readLines(file, window, context);
      if (!file.isUnchanged())
        return withNotes(text, ["the file was changed while it was read; read it again"]);
      await markSeen(seen, file, context);
      return text;
    },
  });
}

interface Window {
  readonly offset: number;
  readonly limit: number;
}

async function readLines(
  file: OpenedFile,
  { offset, limit }: Window,
  { signal }: ToolContext,
): Promise<string> {
  if (file.status.size === 0) return "[the file is empty]";
  const found = await readText(file, { offset, limit, maxChars: maxWindowChars, countAll: false, signal });
  const form = found.encoding === "utf-8" ? [] : [`the file is in ${found.encoding}, shown here as Unicode`];
  return withNotes(found.text, [...windowNotes(found), ...form]);
}

async function readDocument(
  file: OpenedFile,
  { offset, limit }: Window,
  { signal }: ToolContext,
): Promise<string> {
  const text = await readPdf(file, signal);
  const found = cutWindow(text, { offset, limit, maxChars: maxWindowChars, path: file.path });
  return withNotes(found.text, windowNotes({ ...found, offset }));
}

/** Which lines these are, and how to get the next; nothing to say of a whole file. */
function windowNotes(window: {
  readonly offset: number;
  readonly lines: number;
  readonly nextOffset: number | undefined;
  readonly totalLines: number | undefined;
  readonly lineCut: boolean;
}): string[] {
  const { offset, lines, nextOffset, totalLines, lineCut } = window;
  const notes: string[] = [];
  if (lineCut)
    notes.push(
      `line ${offset + 1} is longer than ${maxWindowChars} characters and cut here; search in it with grep`,
    );
  const of = totalLines === undefined ? "" : ` of ${totalLines}`;
  if (nextOffset !== undefined)
    notes.push(`lines ${offset + 1} to ${offset + lines}${of}; use offset ${nextOffset} to continue`);
  else if (offset > 0) notes.push(`lines ${offset + 1} to ${offset + lines}${of}, the end of the file`);
  return notes;
}

async function readImage(
  file: OpenedFile,
  mimeType: string,
  { signal }: ToolContext,
): Promise<string | ToolContent> {
  if (file.status.size > maxImageBytes) {
    return `[an image (${mimeType}) of ${file.status.size} bytes: too large to look at, the limit is ${maxImageBytes}; make it smaller with a command and read that]`;
  }
  const bytes = await file.bytes(maxImageBytes, signal);
  return new ToolContent([{ type: "image", data: bytes.toString("base64"), mimeType }]);
}
