import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { openMemory } from "../memory-of.ts";
import { readsMemory } from "../reads-memory.ts";
import { showTime } from "../show-entry.ts";
import { NoteError } from "./errors.ts";
import { chooseProject, profileLabel, projectId } from "./project.ts";
import type { NoteServices } from "./services.ts";

const parameters = z.strictObject({ project_id: projectId });

export function viewProfileTool(services: NoteServices): Tool {
  return defineTool({
    name: "view_profile",
    title: "View a project's profile",
    description: "Read the profile of a project: what is known of it, in one text.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxOutputChars: 100_000,
    effects: readsMemory,
    async execute({ project_id }, context) {
      const project = chooseProject(services, project_id);
      const memory = openMemory(services, context);
      const profile = await memory.findBlock(profileLabel(project));
      if (profile === undefined)
        throw new NoteError(
          "NOTE_NOT_FOUND",
          `There is no profile of project "${project}" yet; edit_project_profile writes one, regenerate_profile makes one of its notes`,
          { details: { project } },
        );
      const changed = showTime(profile.changedAt);
      return labelledContent({ project, profile: profile.text, changed }, [profile]);
    },
  });
}
