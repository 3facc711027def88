import { z } from "zod";
import { nearestNames } from "../../../../base/index.ts";
import { HostError, type Workspace } from "../../../../host/index.ts";
import {
  type CallContext,
  defineTool,
  labelledContent,
  type Tool,
  type ToolContext,
} from "../../../../kernel/index.ts";
import { type MemoryEntry } from "../../store/memory-entry.ts";
import { openMemory } from "../memory-of.ts";
import { formatTitle, listNotes } from "./find-note.ts";
import { chooseProject, projectId } from "./project.ts";
import type { NoteServices } from "./services.ts";

const parameters = z.strictObject({
  project_id: projectId,
  specs_path: z
    .string()
    .min(1)
    .default("specs")
    .describe("The folder of the specs: absolute, or relative to the working folder"),
});

const mostSpecs = 500;

interface Spec {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** Null without a workspace: there are no specs to be seen. */
export function compareSpecsNotesTool(services: NoteServices): Tool | null {
  const { workspace } = services;
  if (workspace === undefined) return null;
  return defineTool({
    name: "compare_specs_notes",
    title: "Compare specs and notes",
    description:
      "Show the Markdown specs of a project's folder beside the notes of the project: which are about the same, and which have no counterpart. read_file and read_note show what they say.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: ({ specs_path }, context: CallContext) => {
      const { path: target, within } = workspace.locate(specs_path, context);
      return [{ kind: "read", target, within }];
    },
    async execute({ project_id, specs_path }, context) {
      const project = chooseProject(services, project_id);
      const memory = openMemory(services, context);
      const { entries } = await listNotes(memory, project);
      const specs = await specsIn(workspace, specs_path, context);
      return labelledContent({ project, ...sideBySide(specs, entries) }, entries);
    },
  });
}

async function specsIn(workspace: Workspace, folder: string, context: ToolContext): Promise<readonly Spec[]> {
  try {
    const { entries } = await workspace.list(folder, context, {
      recursive: true,
      limit: mostSpecs,
      matches: (path) => path.endsWith(".md"),
    });
    return entries.filter(({ type }) => type === "file").map(({ path, size }) => ({ path, size }));
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "FILE_NOT_FOUND") throw error;
    throw new HostError("FILE_NOT_FOUND", `There is no folder "${folder}" of specs; give specs_path`, {
      cause: error,
    });
  }
}

/** A spec and a note are about the same where the name of the file is about the title. */
function sideBySide(specs: readonly Spec[], entries: readonly MemoryEntry[]) {
  const notes = new Map(
    entries.map((entry) => [
      normalizeWords(formatTitle(entry)),
      { title: formatTitle(entry), size: entry.text.length },
    ]),
  );
  const pairs = [];
  const specsAlone: Spec[] = [];
  for (const spec of specs) {
    const name = normalizeWords(spec.path.replace(/^.*\//, "").replace(/\.md$/, ""));
    const match = notes.has(name) ? name : nearestNames(name, notes.keys(), 1)[0];
    const note = match === undefined ? undefined : notes.get(match);
    if (note === undefined || match === undefined) specsAlone.push(spec);
    else {
      pairs.push({ spec, note });
      notes.delete(match);
    }
  }
  return { pairs, specs_without_note: specsAlone, notes_without_spec: [...notes.values()] };
}

function normalizeWords(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
