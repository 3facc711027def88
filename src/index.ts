import { ToolRegistry as KernelRegistry, type RegistryOptions } from "./kernel/index.ts";
import { compileJsonSchema } from "./schema/index.ts";

export * from "./kernel/index.ts";
export { compileJsonSchema } from "./schema/index.ts";

/** The kernel's registry, with a compiler for raw JSON Schema already in it. */
export class ToolRegistry extends KernelRegistry {
  constructor(options: RegistryOptions = {}) {
    super({ compile: compileJsonSchema, ...options });
  }
}
