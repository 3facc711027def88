export type { ExtensionExample, ExtensionFactoryServices, ExtensionMeta } from "./author.ts";
export { type CheckedExtensions, checkExtensions } from "./check-extensions.ts";
export { type ExtensionErrorCode, extensionErrorCodes } from "./errors.ts";
export type { ExtensionLog } from "./extension.ts";
export {
  createExtensionSource,
  type ExtensionServices,
  type ExtensionSource,
} from "./extension-source.ts";
export { isExtensionFile } from "./layout.ts";
export type { ModuleExamples } from "./module-examples.ts";
export { extensionConfigText, newExtensionText, type TypePlaces } from "./new-extension.ts";
export type { ExtensionRequirements } from "./requirements.ts";
