import { nearestNames } from "../../base/index.ts";
import type { SourceFile } from "../../host/index.ts";
import type { Tool } from "../../kernel/index.ts";
import { Fields } from "../fields.ts";
import { readFrontMatter } from "../front-matter.ts";
import { Problems } from "../problems.ts";
import type { SourceProblem } from "../source.ts";
import { findMissing, readRequirements, type Surroundings } from "./requirements.ts";

/** Instructions that an agent takes up when it needs them. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

export interface ReadSkill {
  /** Absent: it can't be used. */
  readonly skill: Skill | undefined;
  readonly problems: readonly SourceProblem[];
}

/** Reads a file of `skills/`: `name`, `description` and `requires` between two lines of `---`, then the instructions. */
export async function readSkill({ path, text }: SourceFile, around: Surroundings): Promise<ReadSkill> {
  const problems = new Problems(path);
  const found = readFrontMatter(text);
  if ("code" in found) {
    problems.error(found.code, `Cannot read the skill: ${found.message}`, found.place);
    return { skill: undefined, problems: problems.list() };
  }
  const fields = new Fields(found.fields, [], problems);
  const name = fields.text("name", {
    required: true,
    most: 64,
    pattern: /^[\w.-]+$/,
    form: 'letters, digits, ".", "_" and "-"',
  });
  const description = fields.text("description", { required: true });
  const requires = readRequirements(fields.raw("requires"));
  fields.refuseOthers();
  if (typeof requires === "string") fields.invalid("requires", requires);
  else {
    const missing = await findMissing(requires, around);
    if (missing.length > 0)
      return {
        skill: undefined,
        problems: [
          { where: path, code: "EXTENSION_UNMET", message: `Cannot use the skill: ${missing.join("; ")}` },
        ],
      };
  }
  const isUsable = !problems.hasErrors && name !== undefined && description !== undefined;
  return { skill: isUsable ? { name, description, body: found.body } : undefined, problems: problems.list() };
}

const harmless = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

/** `skill_list` and `skill_load`; none where there are no skills. */
export function skillTools(skills: readonly Skill[]): Tool[] {
  if (skills.length === 0) return [];
  const common = {
    category: "system",
    pack: "skills",
    origin: "haft",
    annotations: harmless,
    version: "1",
  } as const;
  return [
    {
      ...common,
      name: "skill_list",
      title: "List skills",
      description:
        "List the skills there are: instructions for kinds of work, written by the owner. Load one before you do what it is for.",
      parameters: { type: "object", properties: {}, additionalProperties: false },
      execute: () => skills.map(({ name, description }) => ({ name, description })),
    },
    {
      ...common,
      name: "skill_load",
      title: "Load a skill",
      description: "Return the instructions of a skill, by its name.",
      parameters: {
        type: "object",
        properties: {
          name: {
            type: "string",
            minLength: 1,
            maxLength: 64,
            description: "The name that skill_list gives",
          },
        },
        required: ["name"],
        additionalProperties: false,
      },
      execute: ({ name }: { readonly name: string }) => readBody(name, skills),
    },
  ];
}

function readBody(name: string, skills: readonly Skill[]): string {
  const skill = skills.find((one) => one.name === name);
  if (skill !== undefined) return skill.body;
  const names = skills.map((one) => one.name);
  const [nearest] = nearestNames(name, names, 1);
  throw new Error(
    `Cannot find the skill "${name}": ${nearest === undefined ? "skill_list has the names" : `did you mean "${nearest}"`}`,
  );
}
