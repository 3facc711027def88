import { z } from "zod";
import { type Clock, systemClock } from "../../../../base/index.ts";
import { defineTool, type Tool, type ToolContext, trustMark } from "../../../../kernel/index.ts";
import { findMemoryScope } from "../../store/memory-caller.ts";
import { memoryEffects } from "../../store/memory-effects.ts";
import { openMemory } from "../memory-of.ts";
import { type CompactionPlan, planCompaction, type Week } from "./compaction-plan.ts";
import { digested, toDigestSource } from "./digest-step.ts";
import { chooseProject, projectId, projectTag } from "./project.ts";
import type { MemoryDigest, NoteServices } from "./services.ts";

const parameters = z.strictObject({ project_id: projectId });

interface Compacted {
  readonly project: string;
  /** Too recent, pinned, alone in their week, or not to be changed. */
  readonly kept: number;
  readonly weeks: readonly DigestedWeek[];
  readonly note: string;
}

interface DigestedWeek {
  /** Its first day. */
  readonly week: string;
  readonly entries: number;
  /** They come from outside, and so does their digest. */
  readonly trust?: "untrusted";
  /** Its id. */
  readonly digest?: string;
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
    verify: "look at the statistics of memory; what was digested is not digested again",
    timeoutMs: 300_000,
    async effects({ project_id }, context) {
      const project = chooseProject(services, project_id);
      if (services.digest === undefined) return [{ kind: "read", target: "memory", within: true }];
      const { weeks } = await planCompaction(services.memory, findMemoryScope(context), project, clock.now());
      const wishes = weeks.flatMap(({ entries }) =>
        entries.map(({ id }) => ({ key: id, operation: "overwrite" as const })),
      );
      return memoryEffects(services.memory, context, [{ operation: "overwrite" }, ...wishes]);
    },
    async execute({ project_id }, context): Promise<Compacted> {
      const project = chooseProject(services, project_id);
      const plan = await planCompaction(services.memory, findMemoryScope(context), project, clock.now());
      const { digest } = services;
      if (digest === undefined) return describePlan(project, plan);
      // The model is told the project: what somebody outside named has no hand in a digest that is trusted.
      const planned = plan.weeks.filter(({ trust }) => trust === "untrusted" || context.trust === "trusted");
      const weeks = [];
      for (const week of planned) weeks.push(await compactWeek(services, digest, project, week, context));
      return {
        project,
        kept: plan.kept,
        weeks,
        note: plan.more ? "there is more: call again" : "that is all",
      };
    },
  });
}

function describePlan(project: string, { kept, weeks }: CompactionPlan): Compacted {
  return {
    project,
    kept,
    weeks: weeks.map(showWeek),
    note: "nothing was changed: digesting these weeks takes a model, and none is configured (memory.model)",
  };
}

async function compactWeek(
  services: NoteServices,
  digest: MemoryDigest,
  project: string,
  { monday, trust, entries }: Week,
  context: ToolContext,
): Promise<DigestedWeek> {
  const sources = entries.map(toDigestSource);
  const text = await digest.compact({ project, sources, signal: context.signal });
  const { entry } = await openMemory(services, context).supersedeBlocks(
    entries.map(({ id }) => id),
    {
      kind: "memory",
      category: "digest",
      title: `Week of ${monday}`,
      text: digested(text, `digest the week of ${monday}`),
      tags: [projectTag(project)],
      at: entries.at(-1)?.at ?? Date.parse(monday),
      trust,
    },
  );
  return { ...showWeek({ monday, trust, entries }), digest: entry.id };
}

function showWeek({ monday, trust, entries }: Week): DigestedWeek {
  return { week: monday, entries: entries.length, ...trustMark({ trust }) };
}
