import { existsSync } from "node:fs";
import type { CoverFiles } from "./cover-files.ts";
import { type EncloseRequest, splitEnvironment } from "./enclosing.ts";
import { shell, supervising } from "./launcher.ts";
import { limitLines, type SandboxLimits } from "./limits.ts";
import { systemCallFilter } from "./seccomp.ts";
import { type Mount, planView, type View } from "./view.ts";

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
  try {
    return { ...planInside(view, request, options, wayOut), release: view.release };
  } catch (error) {
    view.release();
    throw error;
  }
}

function planInside(
  view: View,
  request: EncloseRequest,
  options: NamespaceOptions,
  wayOut: WayOut | undefined,
): Omit<NamespacePlan, "release"> {
  const { limits, features, covers } = options;
  const { outer, inner } = splitEnvironment({
    ...request.environment,
    ...temporaryFolders(request.environment, view),
    ...wayOut?.variables,
  });
  const supervised = supervising(limitLines(limits, features), [request.file, ...request.args], {
    hasScript: request.hasScript,
    others: wayOut === undefined ? 2 : 3,
  });
  const filter = features.filter ? systemCallFilter() : undefined;
  return {
    steps: [...viewSteps(view, options), ...(wayOut?.mounts ?? []).map((mount) => toStep(mount, covers))],
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

function viewSteps(view: View, { features, limits, covers }: NamespaceOptions): MountStep[] {
  const size = features.sizes ? { bytes: limits.temporaryBytes } : {};
  const fresh = ["/dev/shm", ...view.fresh].map((target): MountStep => ({ kind: "fresh", target, ...size }));
  return [
    { kind: view.rootWritable ? "write" : "read", source: "/", target: "/" },
    { kind: "devices", target: "/dev" },
    { kind: "processes", target: "/proc" },
    ...kernelFiles,
    ...fresh,
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

/** Points variables for temporary files to `/tmp` where their folder is not writable inside the sandbox. */
function temporaryFolders(
  environment: Readonly<Record<string, string>>,
  { writable }: View,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of ["TMPDIR", "TEMP", "TMP"]) {
    const given = environment[name];
    if (given !== undefined && !writable.some((folder) => given === folder || given.startsWith(`${folder}/`)))
      found[name] = "/tmp";
  }
  return found;
}
