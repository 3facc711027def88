export { ArtifactFiles } from "./store/artifact-files.ts";
export type { ArtifactInfo, Artifacts, Pruned, PruneOptions } from "./store/artifacts.ts";
export { SqlArtifacts } from "./store/sql-artifacts.ts";
export type { Tables as ArtifactTables } from "./store/tables.ts";
