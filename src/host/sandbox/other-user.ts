import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type EncloseRequest, splitEnvironment } from "./enclosing.ts";
import { becoming, shell } from "./launcher.ts";
import { limitLines, type SandboxLimits } from "./linux/limits.ts";
import type { SandboxLevel } from "./report.ts";

/** Users whom mostly nobody is: past those of people, before those that systemd makes for services. */
const firstUser = 50_000;
const usersOfProgram = 64;
/** How many programs on one machine have users of their own. */
const programs = 150;

/**
 * Users to run commands as. No two commands at once are the same one, so that all that a user still runs can be ended;
 * one after the other are, so that a command may change what the last one made.
 */
export class UserPool {
  readonly #first = firstUser + (process.pid % programs) * usersOfProgram;
  readonly #inUse = new Set<number>();
  readonly #taken: ReadonlySet<number> = knownUsers();

  /** Undefined where there are as many commands as users. */
  take(): number | undefined {
    for (let user = this.#first; user < this.#first + usersOfProgram; user++) {
      if (this.#inUse.has(user) || this.#taken.has(user)) continue;
      this.#inUse.add(user);
      return user;
    }
    return undefined;
  }

  giveBack(user: number): void {
    this.#inUse.delete(user);
  }
}

function knownUsers(): Set<number> {
  try {
    const lines = readFileSync("/etc/passwd", "utf8").split("\n");
    return new Set(lines.map((line) => Number(line.split(":")[2])));
  } catch {
    return new Set();
  }
}

export interface OtherUserOptions {
  /** The program `setpriv`, as an absolute path. */
  readonly program: string;
  readonly limits: SandboxLimits;
  readonly user: number;
  /** What joins the groups that bound it. */
  readonly enter: string | undefined;
}

/** The command line by which root runs a command as a user without any rights, who cannot get any. */
export function wrapAsOtherUser(
  { file, args, environment }: EncloseRequest,
  { program, limits, user, enter }: OtherUserOptions,
): Pick<EncloseRequest, "file" | "args" | "environment"> {
  const { outer, inner } = splitEnvironment(environment);
  const restored = Object.entries(inner).map(([name, value]) => `${name}=${value}`);
  const command = [...(restored.length > 0 ? ["env", ...restored] : []), file, ...args];
  const limited = [shell, ...becoming(limitLines(limits, { countProcesses: true }), command)];
  const asUser = [
    program,
    ...`--reuid=${user} --regid=${user} --clear-groups --no-new-privs`.split(" "),
    ..."--bounding-set=-all --inh-caps=-all --ambient-caps=-all --".split(" "),
    ...limited,
  ];
  if (enter === undefined) return { file: program, args: asUser.slice(1), environment: outer };
  return { file: shell, args: becoming(enter, asUser), environment: outer };
}

/**
 * Whether a command at this level can change the files of a folder that it may change. Another user can only do what the
 * mode of the folder, and of those above it, lets everybody do; access lists are not looked at.
 */
export function canWorkIn(level: SandboxLevel, folder: string): boolean {
  return level !== "other-user" || (allowsEverybody(folder, 0o3) && canBeEntered(dirname(folder)));
}

function canBeEntered(folder: string): boolean {
  return allowsEverybody(folder, 0o1) && (dirname(folder) === folder || canBeEntered(dirname(folder)));
}

function allowsEverybody(path: string, bits: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & bits) === bits;
}
