export {
  manifestFileName,
  readManifest,
} from "./manifest.ts";
export { createManifestSource, type ManifestSource } from "./manifest-source.ts";
