import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import { TaskError } from "../store/errors.ts";
import { longText, named, projectId, reading } from "./parameters.ts";

/** Says that playbooks replace rules. */
const deprecated =
  "Rules are deprecated: playbooks took their place, and there are none yet. Guidance for agents is kept in notes.";

/**
 * Makes the tools for rules of earlier versions of agent-queue. They only tell agents that still know them what to use
 * instead.
 */
export function ruleTools(): readonly Tool[] {
  return [browseRulesTool(), loadRuleTool(), saveRuleTool(), deleteRuleTool()];
}

const traits = { category: "system", annotations: reading } as const;
const ruleId = named.describe("The rule's id");

function browseRulesTool(): Tool {
  return defineTool({
    name: "browse_rules",
    title: "List rules (deprecated)",
    description: "Deprecated: lists playbooks, which took the place of rules. Guidance is kept in notes.",
    parameters: z.strictObject({ project_id: projectId }),
    ...traits,
    execute: () => ({ playbooks: [], _deprecated: deprecated }),
  });
}

function loadRuleTool(): Tool {
  return defineTool({
    name: "load_rule",
    title: "Show a rule (deprecated)",
    description: "Deprecated: there are no rules. Use list_notes and read_note.",
    parameters: z.strictObject({ id: ruleId }),
    ...traits,
    execute: () => refuse("load_rule", ["list_notes", "read_note"]),
  });
}

function saveRuleTool(): Tool {
  return defineTool({
    name: "save_rule",
    title: "Save a rule (deprecated)",
    description: "Deprecated: there are no rules, and nothing is saved. Use write_note.",
    parameters: z.strictObject({
      content: longText.describe("The rule, in Markdown"),
      id: ruleId.optional(),
      project_id: z.string().min(1).max(200).nullable().optional(),
      type: z.enum(["active", "passive"]).optional(),
    }),
    ...traits,
    execute: () => refuse("save_rule", ["write_note"]),
  });
}

function deleteRuleTool(): Tool {
  return defineTool({
    name: "delete_rule",
    title: "Delete a rule (deprecated)",
    description: "Deprecated: there are no rules, and nothing is deleted. Use delete_note.",
    parameters: z.strictObject({ id: ruleId }),
    ...traits,
    execute: () => refuse("delete_rule", ["delete_note"]),
  });
}

function refuse(tool: string, replacements: readonly string[]): never {
  throw new TaskError(
    "QUEUE_DEPRECATED",
    `Cannot use ${tool}: ${deprecated} Use ${replacements.join(" and ")}`,
    {
      details: { _deprecated: deprecated, replacements },
    },
  );
}
