import { z } from "zod";
import { defineTool, type Tool } from "../../kernel/index.ts";
import type { TextEdit } from "./editing/edit-match.ts";
import { checkEdits, editText } from "./editing/edit-text.ts";
import { fileEffect } from "./file-effect.ts";
import { filePath } from "./parameters.ts";
import type { SeenFiles } from "./seen-files.ts";
import type { FileServices } from "./services.ts";

const oldString = z
  .string()
  .min(1)
  .describe("The exact text to replace, with its white space. Must occur once, unless replace_all is set.");
const newString = z.string().describe("What to put in its place.");
const replaceAll = z.boolean().default(false).describe("Replace every occurrence.");

const parameters = z
  .strictObject({
    path: filePath,
    edits: z
      .array(z.strictObject({ old_string: oldString, new_string: newString, replace_all: replaceAll }))
      .min(1)
      .max(100)
      .optional()
      .describe("Edits in order, each on what the ones before left; all are made, or none."),
    old_string: oldString.optional().describe("Instead of edits, for one edit: the exact text to replace."),
    new_string: newString.optional().describe("Instead of edits, for one edit: what to put in its place."),
    replace_all: z.boolean().optional().describe("Instead of edits, for one edit: replace every occurrence."),
  })
  .superRefine((given, check) => {
    const single =
      given.old_string !== undefined || given.new_string !== undefined || given.replace_all !== undefined;
    const complete = given.old_string !== undefined && given.new_string !== undefined;
    if (given.edits !== undefined ? single : !complete) {
      check.addIssue({
        code: "custom",
        path: ["edits"],
        message: "give either edits, or old_string and new_string",
      });
    }
  });

interface EditFileResult {
  /** How many edits were made: all that were given. */
  readonly applied: number;
  /** How many places each edit replaced. */
  readonly replacements: readonly number[];
  readonly note?: string;
}

export function editFileTool(services: FileServices, seen: SeenFiles): Tool {
  return defineTool({
    name: "edit_file",
    title: "Edit a file",
    description:
      "Replace exact texts in a file: a list of edits, or a single one. All are made, or none. Line ends, byte order mark and encoding stay as they are.",
    category: "file",
    parameters,
    annotations: { destructive: false, openWorld: false },
    verify: "read the file; the edits were made, all or none, where the new texts stand",
    effects: ({ path }, context) => [fileEffect(services.workspace, "write", path, context)],
    check: (given, context) => checkEdits(services, given.path, listEdits(given), context),
    async execute(given, context): Promise<EditFileResult> {
      const edited = await editText(services, given.path, listEdits(given), context, seen);
      const { replacements, notes } = edited;
      return {
        applied: replacements.length,
        replacements,
        ...(notes.length > 0 && { note: notes.join("; ") }),
      };
    },
  });
}

function listEdits({
  edits,
  old_string = "",
  new_string = "",
  replace_all = false,
}: z.output<typeof parameters>): TextEdit[] {
  const given = edits ?? [{ old_string, new_string, replace_all }];
  return given.map((edit) => ({
    oldString: edit.old_string,
    newString: edit.new_string,
    replaceAll: edit.replace_all,
  }));
}
