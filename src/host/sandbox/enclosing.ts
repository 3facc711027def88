import type { HostError } from "../errors.ts";
import type { WaitRequest } from "../process/request.ts";
import type { Confinement } from "../process/tree.ts";
import type { SandboxLevel, SandboxPromise, SandboxReport } from "./report.ts";

/** What a process may touch. All of it is beside what any program needs: the system's own files, read-only. */
export interface ProcessBounds {
  /** Folders and files that it may change. Those that do not exist are passed over. */
  readonly writable: readonly string[];
  /** Single files and folders that it may change or make beside them; of one that does not exist, the nearest folder above. @default none */
  readonly changed?: readonly string[];
  /** Folders and files of users that it may read beside them. @default none */
  readonly readable?: readonly string[];
  /** Whether it may read the folder it runs in; where not, it sees of it what it may see anyway. @default true */
  readonly seesFolder?: boolean;
  /** Hosts it may reach, by exact name: `example.com` (ports 80 and 443), `example.com:8080`. @default none, and no network */
  readonly hosts?: readonly string[];
  /** The call's own `allowedHosts`: only by them is one of `hosts` reached at a loopback or private address. @default none */
  readonly allowedHosts?: readonly string[];
  /** Session whose private temporary folder it sees as `/tmp` and `/var/tmp`. @default none: it gets new ones in memory */
  readonly temporary?: string;
}

/** A process that is to be kept in. */
export interface EncloseRequest {
  /** An absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly hasScript: boolean;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly bounds: ProcessBounds;
  /**
   * Whether a waiting shell may become the process: it has no input, and does not outlive the command. @default false
   */
  readonly mayLaunch?: boolean;
  /** What the level has to promise for it to run, beside what the sandbox asks for. @default nothing */
  readonly promises?: readonly SandboxPromise[];
}

/** Shell text by which a shell that waits becomes a process with these variables. */
export type FormatLaunch = (variables: Readonly<Record<string, string>>) => string;

/** What to start in its place. */
export interface Enclosed {
  readonly level: SandboxLevel;
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly confinement: Confinement | undefined;
  /** The shell that waits to become it, and what to tell it. */
  readonly launch?: { readonly id: string; readonly format: FormatLaunch } | undefined;
  /** Makes a group for the command after this one: the shell to have wait in it; undefined where one waits already. */
  readonly waitForNext?: () => WaitRequest | undefined;
  /** Hosts that it wanted to reach and may not. */
  readonly refusedHosts: () => readonly string[];
  /** See `ProcessResult`. */
  readonly failedHosts: () => readonly string[];
  /** What is to be told of what it left behind in files, once nothing of it runs any more. */
  readonly findings?: () => readonly string[];
  /** What is wrong if the process never began, from what was said instead. Absent: nothing tells whether it did. */
  readonly notBegun?: (said: string) => HostError;
  /** Called once, when nothing of it is left. */
  readonly release: () => void;
}

/** What keeps processes in, as far as those need it who start them. */
export interface Encloser {
  /**
   * What to start instead of a process, so that it is kept in.
   *
   * @throws {HostError} SANDBOX_REFUSED; PROCESS_NOT_FOUND, PROCESS_NOT_EXECUTABLE
   */
  enclose(request: EncloseRequest): Promise<Enclosed>;
  /**
   * What holds here, where commands may run.
   *
   * @throws {HostError} SANDBOX_REFUSED
   */
  require(): Promise<SandboxReport>;
  /** Whether a path below a temporary folder is the session's own, neither the machine's nor by a link that a command made. */
  isOwnTemporary(session: string, path: string): boolean;
  /** Removes what it made on the machine. Nothing can be enclosed any more. */
  close(): Promise<void>;
}

/** Variables by which a program runs other code, or finds other libraries: nothing outside the sandbox may see them. */
const loaderNames = /^(LD_|GCONV_PATH$|GLIBC_TUNABLES$|LOCPATH$|MALLOC_|BASH|SHELLOPTS$|ENV$|PS4$|IFS$|PERL)/;

/** Splits what a command gets: what the programs around it may see too, and what is for the command alone. */
export function splitEnvironment(environment: Readonly<Record<string, string>>): {
  readonly outer: Record<string, string>;
  readonly inner: Record<string, string>;
} {
  const outer: Record<string, string> = {};
  const inner: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment))
    (loaderNames.test(name) ? inner : outer)[name] = value;
  return { outer, inner };
}
