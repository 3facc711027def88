import type { Wrapped } from "../bubblewrap/bubblewrap.ts";
import type { EncloseRequest } from "../enclosing.ts";
import { becoming, shell } from "../launcher.ts";
import { type SetUpCall, systemCallNumber } from "../linux/seccomp.ts";
import { type Around, type MountStep, type NamespaceOptions, planNamespaces } from "./namespaces.ts";
import { setUp } from "./unshare-setup.ts";

export interface UnsharePrograms {
  /** util-linux's `unshare`, as an absolute path. */
  readonly program: string;
  /** Absolute path of `perl`, which makes the system calls that `unshare` does not. */
  readonly perl: string;
}

/** The command line by which `unshare` and a program in perl run a command as bubblewrap would, and its environment. */
export function wrapInUnshare(
  request: EncloseRequest,
  options: NamespaceOptions & UnsharePrograms,
  { enter, wayOut }: Around,
): Wrapped {
  const { steps, filter, outer, inner, command, ...plan } = planNamespaces(request, options, wayOut);
  const variables = Object.entries(inner).flat();
  const args = [
    ...namespaces,
    "--",
    options.perl,
    "-e",
    setUp,
    "--",
    numbers.join(","),
    filter ?? "",
    request.cwd,
    String(variables.length / 2),
    ...variables,
    ...steps.flatMap(toWords),
    "run",
    ...command,
  ];
  // Perl complains on stderr where the command's language is not installed.
  const environment = { ...outer, PERL_BADLANG: "0" };
  if (enter === undefined) return { file: options.program, args, environment, ...plan };
  return { file: shell, args: becoming(enter, [options.program, ...args]), environment, ...plan };
}

/** The calls that the program makes, in the order in which it is told their numbers. */
const calls: readonly SetUpCall[] = [
  ...(["mount", "umount2", "pivot_root", "mount_setattr", "prctl", "capset", "setsid"] as const),
];
const numbers = calls.map((name) => systemCallNumber(name) ?? Number.NaN);

/** Whether the program can know the numbers of the calls that it makes. */
export const canUnshare: boolean = process.platform === "linux" && numbers.every((one) => !Number.isNaN(one));

/** The user stays the same inside, and has all capabilities there until the program has set up the mounts. */
const namespaces: readonly string[] = [
  "--user --map-current-user --keep-caps --mount --propagation private",
  "--pid --fork --kill-child --net --ipc --uts --cgroup",
].flatMap((line) => line.split(" "));

/** Three words of each: what to do, where, and what with. */
function toWords(step: MountStep): readonly string[] {
  switch (step.kind) {
    case "read":
    case "write":
      return [step.kind, step.target, step.source];
    case "fresh":
    case "empty":
      return [step.kind, step.target, step.bytes === undefined ? "" : `,size=${step.bytes}`];
    case "devices":
    case "processes":
      return [step.kind, step.target, ""];
    default:
      return step satisfies never;
  }
}
