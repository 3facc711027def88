export {
  manifestFileName,
  readManifest,
  type SpaceManifest,
} from "./manifest.ts";
export { createManifestSource, type ManifestServices, type ManifestSource } from "./manifest-source.ts";
