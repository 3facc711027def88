import type { Snapshots, Workspace } from "../../host/index.ts";
import type { ArtifactStore } from "../../kernel/index.ts";
import type { ChangeLog } from "../undo/index.ts";
import type { SeenFiles } from "./seen-files.ts";

/** What the file tools work with. */
export interface FileServices {
  readonly workspace: Workspace;
  /** Keeps former content up to 256 KiB; larger files go to the workspace's undo folder. */
  readonly artifacts: ArtifactStore;
  readonly changes: ChangeLog;
  /** Keeps what folders held before commands changed them. Absent: what commands change can't be undone. */
  readonly snapshots?: Snapshots | undefined;
  /** Written files survive the loss of power: each write waits for the disk, about 6 ms. @default false */
  readonly durable?: boolean;
  /** What was read, for `write`. @default kept in memory: a new process has read nothing */
  readonly seen?: SeenFiles | undefined;
}
