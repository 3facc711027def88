import type { EncloseRequest, FormatLaunch } from "../enclosing.ts";
import { becoming, quoted, shell } from "../launcher.ts";
import { type Around, type MountStep, type NamespaceOptions, planNamespaces } from "../unshare/namespaces.ts";

export interface BubblewrapOptions extends NamespaceOptions {
  /** An absolute path. */
  readonly program: string;
}

export interface Wrapped {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** What a shell that has done `enter` is told to become the same, with these variables; see {@link canLaunch}. */
  readonly formatLaunch?: FormatLaunch;
  readonly release: () => void;
  /** See `Enclosed.findings`. */
  readonly findings: () => readonly string[];
}

/** The command line by which bubblewrap runs a command, and its environment. */
export function wrapInBubblewrap(
  request: EncloseRequest,
  options: BubblewrapOptions,
  { enter, wayOut }: Around,
): Wrapped {
  const { steps, filter, outer, inner, command, ...plan } = planNamespaces(request, options, wayOut);
  const args = [
    ...namespaces,
    ...(filter === undefined ? [] : ["--seccomp", String(filterDescriptor)]),
    ...steps.flatMap(toArguments),
    // Of these, only the names are not for everybody's eyes to see as arguments, and they have to be set in there.
    ...Object.entries(inner).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    request.cwd,
    "--",
    ...command,
  ];
  const openFilter = filter && `exec ${filterDescriptor}< ${quoted(filter)} || exit 126`;
  const prelude = [enter, openFilter].filter(Boolean).join("\n");
  if (prelude === "") return { file: options.program, args, environment: outer, ...plan };
  const argv = [options.program, ...args];
  return {
    file: shell,
    args: becoming(prelude, argv),
    environment: outer,
    formatLaunch: (variables) =>
      [
        // It tells what it becomes of both folders.
        `cd ${quoted(request.cwd)} && unset PWD OLDPWD || exit 126`,
        ...Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`),
        openFilter ?? "",
        // Until then the shell reads its own input.
        `exec ${argv.map(quoted).join(" ")} </dev/null\n`,
      ].join("\n"),
    ...plan,
  };
}

/** Names that some shell keeps for itself. */
const ownNames =
  /^(PPID|E?UID|GROUPS|PWD|OLDPWD|OPTIND|OPTARG|LINENO|RANDOM|SECONDS|BASH.*|SHELLOPTS|IFS|_|PS\d)$/;

/** Whether a shell can give these variables to what it becomes. */
export function canLaunch(environment: Readonly<Record<string, string>>): boolean {
  return Object.keys(environment).every((name) => /^[A-Za-z_]\w*$/.test(name) && !ownNames.test(name));
}

/** Free where the shell before bubblewrap runs, which names no descriptor above 9; bubblewrap closes it. */
const filterDescriptor = 9;

// As root, bubblewrap would leave the command its capabilities, and with them every mount below could be undone.
const namespaces: readonly string[] = [
  "--unshare-user-try --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net",
  "--cap-drop ALL --die-with-parent --new-session",
].flatMap((line) => line.split(" "));

function toArguments(step: MountStep): string[] {
  switch (step.kind) {
    case "read":
      return ["--ro-bind", step.source, step.target];
    case "write":
      return ["--bind", step.source, step.target];
    case "fresh":
    case "empty":
      return [
        ...(step.bytes === undefined ? [] : ["--size", String(step.bytes)]),
        "--tmpfs",
        step.target,
        ...(step.kind === "empty" ? ["--remount-ro", step.target] : []),
      ];
    case "devices":
      return ["--dev", step.target];
    case "processes":
      return ["--proc", step.target];
    default:
      return step satisfies never;
  }
}
