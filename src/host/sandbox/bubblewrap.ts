import { existsSync } from "node:fs";
import type { CoverFiles } from "./cover-files.ts";
import { type EncloseRequest, splitEnvironment } from "./enclosing.ts";
import { becoming, quoted, shell, supervising } from "./launcher.ts";
import { limitLines, type SandboxLimits } from "./limits.ts";
import { systemCallFilter } from "./seccomp.ts";
import { type Mount, planView, type View } from "./view.ts";

export interface BubblewrapOptions {
  /** An absolute path. */
  readonly program: string;
  readonly limits: SandboxLimits;
  readonly features: BubblewrapFeatures;
  readonly hidden: readonly string[];
  readonly protected: readonly string[];
  readonly covers: CoverFiles;
}

/** What not every version of bubblewrap, or kernel, can do. */
export interface BubblewrapFeatures {
  /** `--size` before a tmpfs. */
  readonly sizes: boolean;
  /** The limit of processes counts those of the sandbox only. */
  readonly countProcesses: boolean;
  /** System calls are filtered. */
  readonly filter: boolean;
}

/** What is mounted and run beside the command so that it has a way out. */
export interface WayOut {
  readonly mounts: readonly Mount[];
  /** The program that runs everything else; it starts what stands behind it. */
  readonly wrapper: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** What comes before the sandbox, and what goes into it beside the command. */
interface Around {
  /** What joins the groups that bound it. */
  readonly enter: string | undefined;
  readonly wayOut: WayOut | undefined;
}

export interface Wrapped {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly release: () => void;
}

/** The command line by which bubblewrap runs a command, and its environment. */
export function wrapInBubblewrap(
  request: EncloseRequest,
  options: BubblewrapOptions,
  around: Around,
): Wrapped {
  const { bounds, cwd, environment } = request;
  const { hidden, protected: protectedPaths, covers } = options;
  const view = planView({ bounds, cwd, environment, hidden, protected: protectedPaths, covers });
  try {
    return { ...wrapView(view, request, options, around), release: view.release };
  } catch (error) {
    view.release();
    throw error;
  }
}

function wrapView(
  view: View,
  request: EncloseRequest,
  options: BubblewrapOptions,
  { enter, wayOut }: Around,
): Omit<Wrapped, "release"> {
  const { cwd, hasScript } = request;
  const { outer, inner } = splitEnvironment({
    ...request.environment,
    ...temporaryFolders(request.environment, view),
    ...wayOut?.variables,
  });
  const supervised = supervising(
    limitLines(options.limits, options.features),
    [request.file, ...request.args],
    {
      hasScript,
      others: wayOut === undefined ? 2 : 3,
    },
  );
  const filter = options.features.filter ? systemCallFilter() : undefined;
  const args = [
    ...namespaces,
    ...(filter === undefined ? [] : ["--seccomp", String(filterDescriptor)]),
    ...viewArguments(view, options),
    ...(wayOut?.mounts.flatMap((mount) => mountArguments(mount, options)) ?? []),
    // Of these, only the names are not for everybody's eyes to see as arguments, and they have to be set in there.
    ...Object.entries(inner).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    cwd,
    "--",
    ...(wayOut?.wrapper ?? []),
    shell,
    ...supervised,
  ];
  const openFilter =
    filter && `exec ${filterDescriptor}< ${quoted(options.covers.keep("filter", filter))} || exit 126`;
  const prelude = [enter, openFilter].filter(Boolean).join("\n");
  if (prelude === "") return { file: options.program, args, environment: outer };
  return { file: shell, args: becoming(prelude, [options.program, ...args]), environment: outer };
}

/** Free where the shell before bubblewrap runs, which names no descriptor above 9; bubblewrap closes it. */
const filterDescriptor = 9;

// As root, bubblewrap would leave the command its capabilities, and with them every mount below could be undone.
const namespaces: readonly string[] = [
  "--unshare-user-try --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net",
  "--cap-drop ALL --die-with-parent --new-session",
].flatMap((line) => line.split(" "));

/**
 * Root may write the kernel's settings by the mode of the file alone, without any capability: `core_pattern` would be
 * the way out. bubblewrap itself looks only at the folders.
 */
const kernelFiles: readonly string[] = [
  ...["sys", "sysrq-trigger", "fs", "irq", "bus", "acpi", "scsi", "mtrr"].map((name) => [
    name,
    `/proc/${name}`,
  ]),
  ...["kcore", "keys", "timer_list", "sched_debug"].map((name) => [name, "/dev/null"]),
].flatMap(([name, source = ""]) =>
  existsSync(`/proc/${name}`) ? ["--ro-bind", source, `/proc/${name}`] : [],
);

function viewArguments(view: View, options: BubblewrapOptions): string[] {
  return [
    view.rootWritable ? "--bind" : "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    ...kernelFiles,
    ...freshFolder("/dev/shm", options),
    ...view.fresh.flatMap((path) => freshFolder(path, options)),
    ...view.mounts.flatMap((mount) => mountArguments(mount, options)),
  ];
}

function freshFolder(path: string, { features, limits }: BubblewrapOptions): string[] {
  const size = features.sizes ? ["--size", String(limits.temporaryBytes)] : [];
  return [...size, "--tmpfs", path];
}

function mountArguments({ kind, source, target }: Mount, { covers }: BubblewrapOptions): string[] {
  switch (kind) {
    case "read":
      return ["--ro-bind", source, target];
    case "write":
      return ["--bind", source, target];
    case "empty-file":
      return ["--ro-bind", covers.empty, target];
    case "empty-folder":
      return ["--tmpfs", target, "--remount-ro", target];
    case "nothing":
      return ["--ro-bind", "/dev/null", target];
    default:
      return kind satisfies never;
  }
}

/** A folder for temporary files, and a home, that are there inside. */
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
