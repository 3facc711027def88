import { toTargetTool } from "./formats/index.ts";
import { ToolRegistry as KernelRegistry, type RegistryOptions } from "./kernel/index.ts";
import { compileJsonSchema } from "./schema/index.ts";

export * from "./public/formats.ts";
export * from "./public/kernel.ts";
export { compileJsonSchema } from "./schema/index.ts";

/** The kernel's registry, with what raw JSON Schema is compiled by and what definitions for model APIs are written by already in it. */
export class ToolRegistry extends KernelRegistry {
  constructor(options: RegistryOptions = {}) {
    super({ compile: compileJsonSchema, format: toTargetTool, ...options });
  }
}
