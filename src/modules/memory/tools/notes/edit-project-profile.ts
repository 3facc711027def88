import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { profileEffects, type WrittenProfile, writeProfile } from "./profile.ts";
import { chooseProject, projectId } from "./project.ts";
import type { NoteServices } from "./services.ts";

const parameters = z.strictObject({
  project_id: projectId,
  content: z.string().min(1).describe("The whole new profile, in Markdown"),
});

/** A name of its own, since `edit_profile` is the tool for agents: one name for one tool. */
export function editProjectProfileTool(services: NoteServices): Tool {
  return defineTool({
    name: "edit_project_profile",
    title: "Replace a project's profile",
    description: "Write the profile of a project anew. What it said before is in its history.",
    category: "memory",
    parameters,
    annotations: { destructive: false, idempotent: true, openWorld: false },
    effects: ({ project_id }, context) =>
      profileEffects(services, chooseProject(services, project_id), context),
    execute: ({ project_id, content }, context): Promise<WrittenProfile> =>
      writeProfile(services, chooseProject(services, project_id), content, context),
  });
}
