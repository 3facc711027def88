import { z } from "zod";
import { type Clock, systemClock } from "../../../base/index.ts";
import { defineTool, type Tool, type ToolContext } from "../../../kernel/index.ts";
import { Memory, memoryCallerOf, memoryEffects, memoryScopeOf } from "../../../store/index.ts";
import { type CompactionPlan, planCompaction, type Week } from "./compaction-plan.ts";
import { digested, sourceOf } from "./digest-step.ts";
import { projectId, projectOf, projectTag } from "./project.ts";
import type { MemoryDigest, NoteServices } from "./services.ts";

const parameters = z.strictObject({ project_id: projectId });

interface Compacted {
  readonly project: string;
  /** Too recent, pinned, alone in their week, or not to be changed. */
  readonly kept: number;
  readonly weeks: readonly { readonly week: string; readonly entries: number; readonly digest?: string }[];
  readonly note: string;
}

export function compactMemoryTool(services: NoteServices, clock: Clock = systemClock): Tool {
  return defineTool({
    name: "compact_memory",
    title: "Compact memory",
    description:
      "Have a model digest what was remembered week by week, for what is older than a week. The last week stays as it is; what was digested is passed over from then on, and can be had back. Pinned memories, notes, profiles, blocks and files are left alone.",
    category: "memory",
    parameters,
    annotations: { destructive: false, openWorld: false },
    timeoutMs: 300_000,
    async effects({ project_id }, context) {
      const project = projectOf(services, project_id);
      if (services.digest === undefined) return [{ kind: "read", target: "memory", within: true }];
      const { weeks } = await planCompaction(services.memory, memoryScopeOf(context), project, clock.now());
      const wishes = weeks.flatMap(({ entries }) =>
        entries.map(({ id }) => ({ key: id, operation: "overwrite" as const })),
      );
      return memoryEffects(services.memory, context, [{ operation: "overwrite" }, ...wishes]);
    },
    async execute({ project_id }, context): Promise<Compacted> {
      const project = projectOf(services, project_id);
      const plan = await planCompaction(services.memory, memoryScopeOf(context), project, clock.now());
      const { digest } = services;
      if (digest === undefined) return describePlan(project, plan);
      const weeks = [];
      for (const week of plan.weeks) weeks.push(await compactWeek(services, digest, project, week, context));
      const rest = plan.more ? "; there is more, call again" : "";
      return { project, kept: plan.kept, weeks, note: `${weeks.length} weeks were digested${rest}` };
    },
  });
}

function describePlan(project: string, { kept, weeks }: CompactionPlan): Compacted {
  return {
    project,
    kept,
    weeks: weeks.map(({ monday, entries }) => ({ week: monday, entries: entries.length })),
    note: "nothing was changed: digesting these weeks takes a model, and none is configured (memory.model)",
  };
}

/** The digest first, then those it tells of: should it end in between, the rest is digested again. */
async function compactWeek(
  services: NoteServices,
  digest: MemoryDigest,
  project: string,
  { monday, entries }: Week,
  context: ToolContext,
): Promise<Compacted["weeks"][number]> {
  const caller = memoryCallerOf(context);
  const untrusted = entries.some(({ trust }) => trust === "untrusted");
  const memory = new Memory(services.memory, {
    ...caller,
    author: { ...caller.author, sources: entries.map(({ id }) => id) },
    trust: untrusted ? "untrusted" : context.trust,
  });
  const sources = entries.map(sourceOf);
  const text = await digest.compact({ project, sources, signal: context.signal });
  const made = await memory.createBlock({
    kind: "memory",
    category: "digest",
    title: `Week of ${monday}`,
    text: digested(text, `digest the week of ${monday}`),
    tags: [projectTag(project)],
    at: entries.at(-1)?.at ?? Date.parse(monday),
  });
  for (const { id } of entries) await memory.describeBlock(id, { supersededBy: made.id });
  return { week: monday, entries: entries.length, digest: made.id };
}
