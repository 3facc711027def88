import { canonicalJson } from "../../base/index.ts";
import type { CallContext, Tool, ToolContext } from "../../kernel/index.ts";
import { makeVersion } from "../version-of.ts";
import type { ToolDefinitionData } from "./definition.ts";
import { type EffectServices, type EffectSubject, extensionEffects, isFromOutside } from "./effects.ts";
import type { ExtensionWorker } from "./extension-worker.ts";
import type { KeptWorker } from "./kept-worker.ts";
import type { ExtensionUnit } from "./layout.ts";
import { asUntrusted } from "./read-message.ts";
import type { WorkerPowers } from "./worker-process.ts";

export interface ToolMakings {
  readonly unit: ExtensionUnit;
  readonly powers: WorkerPowers;
  readonly kept: KeptWorker<ExtensionWorker>;
  readonly services: EffectServices;
}

/** The tool as the registry holds it: its calls go to the worker. Its version is that of all texts that its worker may run. */
export function extensionTool(data: ToolDefinitionData, { unit, powers, kept, services }: ToolMakings): Tool {
  const { name, annotations } = data;
  const subject: EffectSubject = { extension: unit.name, tool: name, annotations, powers };
  return {
    ...data,
    pack: `ext:${unit.name}`,
    origin: `extension:${unit.name}`,
    version: makeVersion(`${unit.hash}\n${canonicalJson(data)}`),
    effects: (_params: never, context: CallContext) => extensionEffects(subject, services, context),
    execute: async (params: never, context: ToolContext) => {
      const result = await kept.use((worker) => worker.call(name, params, context));
      return (await isFromOutside(subject, services)) ? asUntrusted(result) : result;
    },
  };
}
