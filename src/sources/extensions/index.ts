export type { ExtensionExample, ExtensionFactoryServices, ExtensionMeta } from "./author.ts";
export { type CheckedExtensions, checkExtensions } from "./check-extensions.ts";
export { ExtensionError, type ExtensionErrorCode, extensionErrorCodes } from "./errors.ts";
export type { ExtensionLog, ExtensionTimes } from "./extension.ts";
export {
  createExtensionSource,
  type ExtensionServices,
  type ExtensionSource,
} from "./extension-source.ts";
export { isExtensionFile } from "./layout.ts";
export type { ModuleExamples } from "./module-examples.ts";
export { extensionConfigText, newExtensionText, type TypePlaces } from "./new-extension.ts";
export type { Reloaded } from "./reload-tool.ts";
export type { ExtensionRequirements } from "./requirements.ts";
export type { WorkerLimits } from "./worker-process.ts";
