import { join } from "node:path";
import {
  Processes,
  readVariable,
  Sandbox,
  type SandboxLimits,
  Snapshots,
  UndoFolder,
  Workspace,
} from "../host/index.ts";
import type { HaftConfig, SandboxConfig, SnapshotsConfig } from "./config/config-types.ts";
import { configFileName } from "./config/load-config.ts";
import type { Home } from "./home.ts";
import { sourcePlaces } from "./sources/source-places.ts";

/** What touches the machine, but for the network. */
export interface Hands {
  readonly workspace: Workspace;
  readonly processes: Processes;
  /** What the processes are kept in by. */
  readonly sandbox: Sandbox;
  /** Snapshots of folders before commands changed them; undefined if none are taken. */
  readonly snapshots: Snapshots | undefined;
}

export interface Surroundings {
  /** The project folder. */
  readonly folder: string;
  readonly home: Home;
  readonly database: string;
  /** The folder for Markdown files: it may lie elsewhere than in haft's own. */
  readonly memory: string;
  readonly config: HaftConfig;
}

/** Opens the host's services, with what is haft's own out of their reach. */
export function openHands({ folder, home, database, memory, config }: Surroundings): Hands {
  const own = [configFileName, ...Object.values(sourcePlaces)].map((place) => join(folder, place));
  const hiddenPaths = [home.folder, memory, ...["", "-wal", "-shm"].map((end) => database + end)];
  const sandbox = new Sandbox({
    hidden: hiddenPaths,
    guarded: own,
    proofFile: home.sandboxProof,
    limits: toLimits(config.sandbox),
    ...(config.sandbox?.atLeast !== undefined && { atLeast: config.sandbox.atLeast }),
  });
  return {
    workspace: new Workspace({
      undo: new UndoFolder(join(home.folder, "undo")),
      protectedPaths: own,
      hiddenPaths,
      noProject: home.noProject,
    }),
    processes: new Processes({ sandbox }),
    sandbox,
    snapshots: openSnapshots(home, hiddenPaths, config.snapshots),
  };
}

function openSnapshots(
  home: Home,
  hidden: readonly string[],
  { enabled = true, maxFiles, maxSize, exclude }: SnapshotsConfig = {},
): Snapshots | undefined {
  if (!enabled) return undefined;
  return new Snapshots({
    folder: join(home.folder, "snapshots"),
    path: readVariable("PATH"),
    hidden,
    ...(maxFiles !== undefined && { maxFiles }),
    ...(maxSize !== undefined && { maxBytes: maxSize * mebibyte }),
    ...(exclude !== undefined && { excluded: exclude }),
  });
}

const mebibyte = 1024 ** 2;

function toLimits({ memory, processes, fileSize, temporary }: SandboxConfig = {}): Partial<SandboxLimits> {
  return {
    ...(memory !== undefined && { memoryBytes: memory * mebibyte }),
    ...(processes !== undefined && { processes }),
    ...(fileSize !== undefined && { fileBytes: fileSize * mebibyte }),
    ...(temporary !== undefined && { temporaryBytes: temporary * mebibyte }),
  };
}
