export type { BackupManifest } from "./manifest.ts";
export { type MovedAside, restoreBackup, unpackBackup } from "./read-backup.ts";
export { writeBackup } from "./write-backup.ts";
