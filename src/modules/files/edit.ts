import { z } from "zod";
import { defineTool, type Tool } from "../../kernel/index.ts";
import type { TextEdit } from "./editing/edit-match.ts";
import { checkEdits, editText } from "./editing/edit-text.ts";
import { fileEffect } from "./file-effect.ts";
import { filePath } from "./parameters.ts";
import type { SeenFiles } from "./seen-files.ts";
import type { FileServices } from "./services.ts";
import { withNotes } from "./text/shown-text.ts";

const parameters = z.strictObject({
  path: filePath,
  old_string: z
    .string()
    .min(1)
    .describe("The exact text to replace, with its white space. Must occur once, unless replace_all is set."),
  new_string: z.string().describe("What to put in its place."),
  replace_all: z.boolean().default(false).describe("Replace every occurrence."),
});

export function editTool(services: FileServices, seen: SeenFiles): Tool {
  return defineTool({
    name: "edit",
    title: "Edit a file",
    description: "Replace an exact text in a file. Line ends, byte order mark and encoding stay as they are.",
    category: "file",
    parameters,
    annotations: { destructive: false, openWorld: false },
    verify: "read the file; the edit was made where the new text stands",
    timeoutMs: 10_000,
    effects: ({ path }, context) => [fileEffect(services.workspace, "write", path, context)],
    check: (given, context) => checkEdits(services, given.path, [toEdit(given)], context),
    async execute(given, context) {
      const edited = await editText(services, given.path, [toEdit(given)], context, seen);
      const [count = 0] = edited.replacements;
      const [line] = edited.lines;
      const where =
        line === undefined ? "" : count === 1 ? ` at line ${line}` : `, the first at line ${line}`;
      return withNotes(
        `Replaced ${count} ${count === 1 ? "occurrence" : "occurrences"} in ${edited.path}${where}`,
        edited.notes,
      );
    },
  });
}

function toEdit({ old_string, new_string, replace_all }: z.output<typeof parameters>): TextEdit {
  return { oldString: old_string, newString: new_string, replaceAll: replace_all };
}
