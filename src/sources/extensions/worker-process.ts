import { findPackageJSON } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { OpenProcess, ProcessBounds, Processes, Workspace } from "../../host/index.ts";
import type { LentPackage } from "./messages.ts";

/** What a worker may do beside computing. */
export interface WorkerPowers {
  /** Absolute paths. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly hosts: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export const noPowers: WorkerPowers = { read: [], write: [], hosts: [], environment: {} };

export interface WorkerLimits {
  /** The memory for JavaScript's values, in MiB. @default 256 */
  readonly heapMb?: number;
  /** The memory of one whole process of the worker, in MiB. @default 512 */
  readonly memoryMb?: number;
}

export interface WorkerSurroundings {
  readonly processes: Pick<Processes, "open" | "isolation">;
  readonly workspace: Pick<Workspace, "locate">;
  /** The hosts that may be reached at a private address; see `ProcessBounds`. */
  readonly allowedHosts: readonly string[];
  /** A variable of this program's own environment. */
  readonly variable: (name: string) => string | undefined;
  readonly limits?: WorkerLimits;
}

const here = dirname(fileURLToPath(import.meta.url));
const entry = join(here, `worker${extname(fileURLToPath(import.meta.url))}`);

/** Starts the program of a worker, in the sandbox. It knows no extension yet. */
export async function openWorker(powers: WorkerPowers, around: WorkerSurroundings): Promise<OpenProcess> {
  const { processes, allowedHosts, variable, limits: { heapMb = 256, memoryMb = 512 } = {} } = around;
  const node: [string, ...string[]] = [
    process.execPath,
    `--max-old-space-size=${heapMb}`,
    "--disable-warning=ExperimentalWarning",
    entry,
  ];
  const bounds: ProcessBounds = {
    writable: powers.write,
    readable: [...powers.read, ...ownPlaces(around)],
    hosts: powers.hosts,
    allowedHosts,
  };
  return processes.open(process.platform === "win32" ? [...node, "1"] : behindShell(node, memoryMb), {
    // A program may read the folder that it starts in; here it may anyway.
    cwd: here,
    environment: { ...baseEnvironment(variable), ...powers.environment },
    bounds,
  });
}

/** Node sets aside some 560 MiB of addresses before it runs anything, and with less it does not start. */
const reservedMb = 640;

/** The messages leave by descriptor 3, so that nothing that is printed can be one. */
function behindShell(node: readonly string[], memoryMb: number): [string, ...string[]] {
  const script = `ulimit -d ${(reservedMb + memoryMb) * 1024} 2>/dev/null; exec "$@" 3 3>&1 1>&2`;
  return ["/bin/sh", "-c", script, "sh", ...node];
}

const passedNames = ["PATH", "LANG", "LC_ALL", "TZ", "SystemRoot", "TEMP", "TMP"];

function baseEnvironment(variable: (name: string) => string | undefined): Record<string, string> {
  // By it Node's own fetch takes the way out that the sandbox leaves to named hosts.
  const environment: Record<string, string> = { NODE_USE_ENV_PROXY: "1" };
  for (const name of passedNames) {
    const value = variable(name);
    if (value !== undefined) environment[name] = value;
  }
  environment["PATH"] ??= "/usr/local/bin:/usr/bin:/bin";
  return environment;
}

/** The code that every worker runs; it may lie in a user's folder, of which a worker sees nothing else. */
function ownPlaces(around: Pick<WorkerSurroundings, "workspace">): string[] {
  const sources = join(here, "..", "..");
  const lent = lentPackages(around).map(({ url }) => dirname(fileURLToPath(url)));
  return [process.execPath, sources, join(sources, "..", "package.json"), ...lent];
}

const lentNames = ["zod", "typebox"];

/** Packages of haft's that extensions have, too. */
export function lentPackages({ workspace }: Pick<WorkerSurroundings, "workspace">): LentPackage[] {
  return lentNames.flatMap((name) => {
    const file = findPackageJSON(name, import.meta.url);
    if (file === undefined) return [];
    // A link that an installer made is not there for a worker; what it leads to is.
    return [{ name, url: pathToFileURL(workspace.locate(file, {}).path).href }];
  });
}
