import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, messageOf } from "../base/index.ts";
import { Processes } from "./process/processes.ts";
import { stopTree } from "./process/stop.ts";
import { cookieName, findMembers, type ProcessTree } from "./process/tree.ts";

export const sandboxLevels = ["bubblewrap", "process-group", "none"] as const;
/**
 * How well this machine can confine a command; what a tool makes of it is the tool's to say. `bubblewrap`: a process tree of its own without capabilities, gone
 * as a whole with its first process. `process-group`: what a command starts is found and ended, nothing else is
 * kept from it. `none`: not even that.
 */
export type SandboxLevel = (typeof sandboxLevels)[number];

export interface SandboxReport {
  readonly level: SandboxLevel;
  /** What was tried and what came of it. */
  readonly detail: string;
  /** What to do for a better level; absent where there is none. */
  readonly remedy?: string;
}

export interface ProbeOptions {
  /** The bubblewrap program. @default "bwrap", looked for on the PATH */
  readonly bubblewrap?: string;
}

const canaryTimeoutMs = 5000;

/** Finds out which level holds here, by running a process in each that tries to get away. Takes some 50 ms. */
export async function probeSandbox({ bubblewrap = "bwrap" }: ProbeOptions = {}): Promise<SandboxReport> {
  if (process.platform !== "linux")
    return probeProcessGroup(`bubblewrap is for Linux, this is ${process.platform}`, undefined);
  const fault = await runBubblewrapCanary(bubblewrap);
  if (fault === undefined) {
    return {
      level: "bubblewrap",
      detail: "bubblewrap gives a process tree of its own without capabilities, and nothing outlives it",
    };
  }
  return probeProcessGroup(fault.detail, fault.remedy);
}

interface CanaryFault {
  readonly detail: string;
  readonly remedy: string;
}

const installIt =
  'install bubblewrap (Debian and Ubuntu: "apt install bubblewrap", Fedora: "dnf install bubblewrap")';
const allowIt =
  "allow user namespaces for bubblewrap (sysctl kernel.unprivileged_userns_clone=1, on Ubuntu an AppArmor profile; in a container, its seccomp profile)";

/** What bubblewrap does not do here; undefined if it does all that is asked of it. */
async function runBubblewrapCanary(bubblewrap: string): Promise<CanaryFault | undefined> {
  const cookie = randomBytes(12).toString("hex");
  const tree: ProcessTree = { rootPid: -1, cookie, startedAt: 0, rootExited: true };
  const child = spawn(bubblewrap, canaryArguments, {
    env: { PATH: process.env["PATH"], [cookieName]: cookie },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), canaryTimeoutMs);
  try {
    const said = await whatItSays(child);
    if (!said.endsWith("up\n"))
      return { detail: `bubblewrap does not run here: ${firstLine(said)}`, remedy: allowIt };
    if (!/^CapEff:\s*0+$/m.test(said))
      return { detail: "bubblewrap leaves its commands capabilities", remedy: installIt };
    child.kill("SIGKILL");
    if (await livesOn(tree))
      return { detail: "a process outlived the bubblewrap it ran in", remedy: installIt };
    return undefined;
  } catch (error) {
    return codeOf(error) === "ENOENT"
      ? { detail: "bubblewrap is not installed", remedy: installIt }
      : { detail: `bubblewrap does not start: ${messageOf(error)}`, remedy: allowIt };
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
    await stopTree(tree);
  }
}

const canary = "setsid sleep 600 > /dev/null 2>&1 & grep CapEff /proc/self/status; echo up; cat";
const canaryArguments: readonly string[] = [
  ..."--dev-bind / / --proc /proc --unshare-pid --cap-drop ALL --die-with-parent --".split(" "),
  "sh",
  "-c",
  canary,
];

/** Everything up to `up`, or all of it where that never comes. */
function whatItSays(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (text: Buffer) => {
      said += text.toString();
      if (said.endsWith("up\n")) resolve(said);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.on("error", reject);
    child.on("close", () => resolve(said));
  });
}

async function livesOn(tree: ProcessTree): Promise<boolean> {
  const until = Date.now() + 1000;
  while (findMembers(tree).length > 0) {
    if (Date.now() >= until) return true;
    await delay(10);
  }
  return false;
}

/** A command that leaves work behind must come back without it. */
async function probeProcessGroup(detail: string, remedy: string | undefined): Promise<SandboxReport> {
  const report = (level: SandboxLevel, outcome: string): SandboxReport => ({
    level,
    detail: `${outcome}; ${detail}`,
    ...(remedy === undefined ? {} : { remedy }),
  });
  await using processes = new Processes({ from: "direct" });
  try {
    const { leftBehind, remaining } = await processes.runShell("sleep 600 &", {
      cwd: "/",
      environment: { PATH: process.env["PATH"] ?? "" },
      signal: AbortSignal.timeout(canaryTimeoutMs),
    });
    if (leftBehind > 0 && remaining === 0)
      return report("process-group", "what a command starts is ended with it");
    return report("none", "what a command leaves running can't be ended");
  } catch (error) {
    return report("none", `no command can be run: ${messageOf(error)}`);
  }
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0]?.slice(0, 200) || "it said nothing";
}
