import type { Tool } from "../../kernel/index.ts";
import type { SourceProblem } from "../source.ts";

/** What a reload came to. */
export interface Reloaded {
  readonly extensions: readonly {
    readonly name: string;
    readonly description?: string;
    readonly tools: readonly string[];
  }[];
  readonly skills: readonly string[];
  readonly problems: readonly SourceProblem[];
}

/** Reads the extension folders again and starts every extension anew. Only what the owner has accepted runs. */
export function reloadTool(reload: () => Promise<Reloaded>): Tool {
  return {
    name: "extension_reload",
    title: "Reload extensions",
    description:
      "Reload all extensions and skills from disk, and say which tools there are now and what could not be used, and why. " +
      "Calls that run come to their end first.",
    category: "system",
    pack: "extensions",
    origin: "haft",
    version: "1",
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    parameters: { type: "object", properties: {}, additionalProperties: false },
    timeoutMs: 120_000,
    execute: async () => {
      const { problems, ...rest } = await reload();
      return { ...rest, problems: problems.map(toModelProblem) };
    },
  };
}

/** A model may have a shell: that an owner has to trust a file is said without the command that trusts it. */
function toModelProblem(problem: SourceProblem): SourceProblem {
  if (problem.code !== "SOURCE_NOT_TRUSTED") return problem;
  const message = `Cannot use "${problem.where}": it is not trusted as it is now; its owner has to read it and trust it`;
  return { ...problem, message };
}
