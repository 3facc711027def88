// The kernel with what raw JSON Schema, chains and model APIs need: most programs import this alone.
import { toTargetTool } from "./formats/index.ts";
import { ToolRegistry as KernelRegistry, type RegistryOptions } from "./kernel/index.ts";
import { compileJsonSchema } from "./schema/index.ts";

export * from "./public/formats.ts";
export * from "./public/kernel.ts";
export { compileJsonSchema } from "./schema/index.ts";

/**
 * The registry that most programs use: it compiles raw JSON Schema and writes definitions for all model APIs. That of
 * `haft/kernel` is given both.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "shout",
 *     description: "Say it louder.",
 *     parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
 *     execute: ({ text }) => text.toUpperCase(),
 *   }),
 * );
 * registry.toLLMTools("openai")[0]?.function.name; // → "shout"
 * (await registry.validate("shout", { text: 1 })).valid; // → false
 * ```
 */
export class ToolRegistry extends KernelRegistry {
  constructor(options: RegistryOptions = {}) {
    super({ compile: compileJsonSchema, format: toTargetTool, ...options });
  }
}
