import { z } from "zod";
import { type ArtifactStore, defineTool, type Tool, ToolContent } from "../../kernel/index.ts";
import { unknownArtifact } from "./unknown-artifact.ts";

/**
 * The characters of a page. With the line that says how to go on, it stays within the usual limit of an
 * output.
 */
const pageChars = 20_000;

const parameters = z.strictObject({
  id: z.string().describe("The artifact's id, from the result that was cut"),
  offset: z.int().min(0).optional().describe("Characters to skip; 0 by default"),
  length: z
    .int()
    .min(1)
    .max(pageChars)
    .optional()
    .describe(`Characters to read; ${pageChars} by default and at most`),
});

/** Null without a store of artifacts. */
export function artifactReadTool(artifacts: ArtifactStore | undefined): Tool | null {
  if (artifacts === undefined) return null;
  return defineTool({
    name: "artifact_read",
    title: "Read a kept output",
    description:
      "Read a page of an output that was too long to show, by characters. Says at which offset to go on.",
    category: "system",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    mayRepeat: true,
    async execute({ id, offset = 0, length = pageChars }, { scope }) {
      const page = await artifacts.readText(scope, id, { offset, length });
      if (page === undefined) throw unknownArtifact("artifact_read", id);
      const { text, totalChars, trust } = page;
      const end = page.offset + text.length;
      const more = end < totalChars;
      const where = text === "" ? `nothing at ${offset}` : `characters ${page.offset} to ${end}`;
      const how = more ? `; continue with offset ${end}` : "; this is the end";
      const data = { offset: page.offset, total_chars: totalChars, next_offset: more ? end : null };
      return new ToolContent(
        [{ type: "text", text: `${text}\n[${where} of ${totalChars}${how}]` }],
        data,
        trust === "untrusted" ? trust : undefined,
      );
    },
  });
}
