import type { Tool } from "../../kernel/index.ts";
import { deleteFileTool } from "./delete-file.ts";
import { editTool } from "./edit.ts";
import { editFileTool } from "./edit-file.ts";
import { getFileInfoTool } from "./get-file-info.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { listdirTool } from "./listdir.ts";
import { moveFileTool } from "./move-file.ts";
import { readTool } from "./read.ts";
import { readFileTool } from "./read-file.ts";
import { grepFilesTool } from "./searching/grep-files.ts";
import { listFilesTool } from "./searching/list-files.ts";
import { rememberSeenFiles } from "./seen-files.ts";
import type { FileServices } from "./services.ts";
import { readNumberedLinesTool } from "./text/read-numbered-lines.ts";
import { CommandJournal, type CommandUndo } from "./undo/command-journal.ts";
import { undoChangesTool } from "./undo/undo-changes.ts";
import { writeTool } from "./write.ts";
import { writeFileTool } from "./write-file.ts";

/** The tools of this family, by the vocabulary that names them. An agent sees one vocabulary. */
export interface FileTools {
  /** `read`, `write`, `edit`, `glob`, `grep`, `listdir`. */
  readonly coding: readonly Tool[];
  /** `read_file`, `write_file`, `list_files`, `delete_file`, `move_file`, `get_file_info`, `edit_file`, `grep_files`. */
  readonly task: readonly Tool[];
  /** `read_file` in the form that counts lines from 1; its other tools are those of `task`. */
  readonly queue: readonly Tool[];
  /** `undo_changes`, beside any of them. */
  readonly undo: Tool;
}

/** Records what commands change, for the same undo; undefined where nothing keeps snapshots. */
export function commandUndo(services: FileServices): CommandUndo | undefined {
  const { snapshots } = services;
  return snapshots && new CommandJournal({ ...services, snapshots });
}

/** Makes the file tools over one workspace. What one vocabulary has read, the others may write. */
export function fileTools(services: FileServices): FileTools {
  const seen = services.seen ?? rememberSeenFiles();
  return {
    coding: [
      readTool(services, seen),
      writeTool(services, seen),
      editTool(services, seen),
      globTool(services),
      grepTool(services),
      listdirTool(services),
    ],
    task: [
      readFileTool(services, seen),
      writeFileTool(services, seen),
      listFilesTool(services),
      deleteFileTool(services),
      moveFileTool(services),
      getFileInfoTool(services),
      editFileTool(services, seen),
      grepFilesTool(services),
    ],
    queue: [readNumberedLinesTool(services, seen)],
    undo: undoChangesTool(services),
  };
}
