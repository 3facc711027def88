import { existsSync } from "node:fs";
import { isInside } from "../../files/path.ts";
import { type EncloseRequest, splitEnvironment } from "../enclosing.ts";
import { shell, supervising } from "../launcher.ts";
import { limitLines, type SandboxLimits } from "../linux/limits.ts";
import { systemCallFilter } from "../linux/seccomp.ts";
import type { CoverFiles } from "../mounts/cover-files.ts";
import { type TemporaryFolder, type TemporaryFolders, temporaryPlaces } from "../mounts/temporary-folders.ts";
import { type Mount, planView, type View } from "../mounts/view.ts";

/*
 * What the backends that use Linux namespaces have in common: what a command sees of the machine, as one list of
 * mounts, and the shell that supervises the command. Each backend translates this into the options of its program.
 */

export interface NamespaceOptions {
  readonly limits: SandboxLimits;
  readonly features: NamespaceFeatures;
  readonly hidden: readonly string[];
  readonly protected: readonly string[];
  readonly covers: CoverFiles;
  /** Private temporary folders of sessions. */
  readonly temporary: Pick<TemporaryFolders, "enter">;
}

/** Features that depend on the kernel or on the version of a backend's program. */
export interface NamespaceFeatures {
  /** The size of a temporary folder can be limited. */
  readonly sizes: boolean;
  /** The limit of processes counts those of the sandbox only. */
  readonly countProcesses: boolean;
  /** System calls are filtered. */
  readonly filter: boolean;
}

/** Mounts, wrapper and variables that give the command network access through the proxy. */
export interface WayOut {
  readonly mounts: readonly Mount[];
  /** Program and arguments that start the command given after them. */
  readonly wrapper: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** What runs before the sandbox is entered, and what is added to it beside the command. */
export interface Around {
  /** Shell text that joins the control groups which limit the command. */
  readonly enter: string | undefined;
  readonly wayOut: WayOut | undefined;
}

/** One step that builds the file tree a command sees; later steps cover earlier ones. */
export type MountStep =
  | { readonly kind: "read" | "write"; readonly source: string; readonly target: string }
  /** A new folder in memory. */
  | { readonly kind: "fresh" | "empty"; readonly target: string; readonly bytes?: number }
  /** System files: harmless devices, and the processes of the namespace. */
  | { readonly kind: "devices" | "processes"; readonly target: string };

/** Everything that a backend sets up for one command. */
export interface NamespacePlan {
  readonly steps: readonly MountStep[];
  /** Path of the system call filter. */
  readonly filter: string | undefined;
  /** Variables for the command and for the programs around it. */
  readonly outer: Readonly<Record<string, string>>;
  /** Variables for the command alone. */
  readonly inner: Readonly<Record<string, string>>;
  /** Command line to run inside. */
  readonly command: readonly string[];
  /** Releases the paths that were reserved for the command. */
  readonly release: () => void;
  /** Says what was done about its temporary files, once nothing of it runs. */
  readonly findings: () => readonly string[];
}

/** @throws {HostError} SANDBOX_REFUSED where a protected path leads through a link that a command could exchange. */
export function planNamespaces(
  request: EncloseRequest,
  options: NamespaceOptions,
  wayOut: WayOut | undefined,
): NamespacePlan {
  const { bounds, cwd, environment } = request;
  const { hidden, protected: protectedPaths, covers } = options;
  const view = planView({ bounds, cwd, environment, hidden, protected: protectedPaths, covers });
  const reserved = reservedNames(view);
  const folder =
    bounds.temporary === undefined ? undefined : options.temporary.enter(bounds.temporary, reserved.all);
  const release = () => {
    folder?.leave();
    view.release();
  };
  try {
    const kept: KeptTemporary | undefined = folder && { folder, fresh: reserved.fresh };
    return {
      ...planInside({ view, kept }, request, options, wayOut),
      release,
      findings: () => [folder?.leave() ?? []].flat(),
    };
  } catch (error) {
    release();
    throw error;
  }
}

interface KeptTemporary {
  readonly folder: TemporaryFolder;
  /** Folders directly below a temporary one, in which something else is mounted. */
  readonly fresh: readonly string[];
}

/**
 * The paths directly below a temporary folder at or below which something is mounted. Each is a mount itself, so that
 * no command can move it away and put a link in its place, which the next mount would follow.
 */
function reservedNames({ mounts, fresh }: View): { readonly all: string[]; readonly fresh: string[] } {
  const targets = new Set([...mounts.map(({ target }) => target), ...fresh]);
  const all = new Set<string>();
  for (const target of targets) {
    const place = temporaryPlaces.find((one) => target.startsWith(`${one}/`));
    if (place !== undefined) all.add(`${place}/${target.slice(place.length + 1).split("/")[0]}`);
  }
  return { all: Array.from(all).sort(), fresh: Array.from(all).filter((path) => !targets.has(path)) };
}

interface SeenFiles {
  readonly view: View;
  readonly kept: KeptTemporary | undefined;
}

function planInside(
  { view, kept }: SeenFiles,
  request: EncloseRequest,
  options: NamespaceOptions,
  wayOut: WayOut | undefined,
): Omit<NamespacePlan, "release" | "findings"> {
  const { limits, features, covers } = options;
  const { outer, inner } = splitEnvironment({
    ...request.environment,
    ...temporaryFolders(request.environment, view),
    ...wayOut?.variables,
  });
  const supervised = supervising(limitLines(limits, features), [request.file, ...request.args], {
    hasScript: request.hasScript,
    others: wayOut === undefined ? 2 : 3,
    vanishing: vanishingHome(request.environment, view),
  });
  const filter = features.filter ? systemCallFilter() : undefined;
  return {
    steps: [
      ...viewSteps({ view, kept }, options),
      ...(wayOut?.mounts ?? []).map((mount) => toStep(mount, covers)),
    ],
    filter: filter && covers.keep("filter", filter),
    outer,
    inner,
    command: [...(wayOut?.wrapper ?? []), shell, ...supervised],
  };
}

/**
 * Kernel settings that root may write by file mode alone, without any capability; `core_pattern`, for one, would allow
 * an escape. No backend's program protects all of these by itself.
 */
const kernelFiles: readonly MountStep[] = [
  ...["sys", "sysrq-trigger", "fs", "irq", "bus", "acpi", "scsi", "mtrr"].map((name) => [
    name,
    `/proc/${name}`,
  ]),
  ...["kcore", "keys", "timer_list", "sched_debug"].map((name) => [name, "/dev/null"]),
].flatMap(([name, source = ""]): MountStep[] =>
  existsSync(`/proc/${name}`) ? [{ kind: "read", source, target: `/proc/${name}` }] : [],
);

function viewSteps({ view, kept }: SeenFiles, { features, limits, covers }: NamespaceOptions): MountStep[] {
  const size = features.sizes ? { bytes: limits.temporaryBytes } : {};
  const session = kept === undefined ? [] : temporaryPlaces.filter((place) => view.fresh.includes(place));
  const fresh = ["/dev/shm", ...(kept?.fresh ?? []), ...view.fresh.filter((path) => !session.includes(path))];
  return [
    { kind: view.rootWritable ? "write" : "read", source: "/", target: "/" },
    { kind: "devices", target: "/dev" },
    { kind: "processes", target: "/proc" },
    ...kernelFiles,
    ...session.map(
      (target): MountStep => ({ kind: "write", source: kept?.folder.findSource(target) ?? target, target }),
    ),
    ...fresh.map((target): MountStep => ({ kind: "fresh", target, ...size })),
    ...view.mounts.map((mount) => toStep(mount, covers)),
  ];
}

function toStep({ kind, source, target }: Mount, covers: CoverFiles): MountStep {
  switch (kind) {
    case "read":
    case "write":
      return { kind, source, target };
    case "empty-file":
      return { kind: "read", source: covers.empty, target };
    case "empty-folder":
      return { kind: "empty", target };
    case "nothing":
      return { kind: "read", source: "/dev/null", target };
    default:
      return kind satisfies never;
  }
}

/** The home folder where a command sees an empty one, and may write into it. */
function vanishingHome({ HOME: home = "" }: Readonly<Record<string, string>>, view: View): string[] {
  const hasHome = (folder: string) => isInside(folder, home);
  const gone = view.fresh.filter((folder) => !temporaryPlaces.includes(folder));
  return gone.some(hasHome) && !view.writable.some(hasHome) ? [home] : [];
}

/** Points variables for temporary files to `/tmp` where their folder is not writable inside the sandbox. */
function temporaryFolders(
  environment: Readonly<Record<string, string>>,
  { writable }: View,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of ["TMPDIR", "TEMP", "TMP"]) {
    const given = environment[name];
    if (given !== undefined && !writable.some((folder) => isInside(folder, given))) found[name] = "/tmp";
  }
  return found;
}
