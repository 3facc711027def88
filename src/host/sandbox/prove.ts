import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getErrorMessage } from "../../base/index.ts";
import { Processes, type ProcessResult } from "../process/processes.ts";
import { lookForProgram } from "./find-program.ts";
import { systemCallFilter } from "./linux/seccomp.ts";
import { ownSearchPath } from "./program-search.ts";
import { type LimitsReport, noLimits, type SandboxLevel } from "./report.ts";
import { sandboxExec } from "./seatbelt/seatbelt.ts";
import { type Fault, findPrograms, installIt, type NamespacePrograms } from "./unshare/namespace-programs.ts";
import type { NamespaceFeatures } from "./unshare/namespaces.ts";
import { enclose, type Means, type NamespaceWalls, type Walls } from "./walls.ts";

/** The strongest level that held. */
export interface Proven {
  readonly walls: Walls;
  readonly level: SandboxLevel;
  readonly limits: LimitsReport;
  readonly detail: string;
  readonly remedy?: string;
}

export interface ProveOptions {
  readonly levels: readonly SandboxLevel[];
  readonly bubblewrap: string;
  readonly means: Means;
}

const canaryTimeoutMs = 30_000;

/** Tries the levels, strongest first: in each a process tries to get out. What it could do is what is said of it. */
export async function prove({ levels, bubblewrap, means }: ProveOptions): Promise<Proven> {
  const faults: Fault[] = [];
  for (const level of levels) {
    const proven = await proofs[level](means, bubblewrap);
    if (!("fault" in proven)) return withFaults(proven, faults);
    faults.push(proven);
  }
  return withFaults({ walls: { level: "none" }, level: "none", limits: noLimits, detail: "" }, faults);
}

const proofs: Readonly<Record<SandboxLevel, (means: Means, bubblewrap: string) => Promise<Proven | Fault>>> =
  {
    bubblewrap: (means, bubblewrap) => proveNamespaces("bubblewrap", means, bubblewrap),
    unshare: (means, bubblewrap) => proveNamespaces("unshare", means, bubblewrap),
    seatbelt: proveSeatbelt,
    "other-user": proveOtherUser,
    "process-group": proveProcessGroup,
    none: (means) =>
      Promise.resolve({ walls: { level: "none" }, level: "none", limits: sharedLimits(means), detail: "" }),
  };

function withFaults(proven: Proven, faults: readonly Fault[]): Proven {
  const better = Array.from(new Set(faults.flatMap((one) => one.remedy ?? []))).join(", and ");
  const remedy = [better, proven.remedy].filter(Boolean).join("; or ") || undefined;
  const detail = [proven.detail, ...faults.map(({ fault }) => fault)].filter(Boolean).join("; ");
  return { ...proven, detail, ...(remedy !== undefined && { remedy }) };
}

const allowIt =
  "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, on Ubuntu an AppArmor profile for bubblewrap; in a container, its seccomp profile)";

async function proveNamespaces(
  level: NamespacePrograms["level"],
  means: Means,
  bubblewrap: string,
): Promise<Proven | Fault> {
  const programs = findPrograms(level, bubblewrap);
  if ("fault" in programs) return programs;
  let features: NamespaceFeatures = {
    sizes: true,
    countProcesses: process.getuid?.() !== 0,
    filter: systemCallFilter() !== undefined,
  };
  let proven = await tryNamespaces({ ...programs, features }, means);
  for (const { sign, feature } of dispensable) {
    if (!("fault" in proven)) break;
    if (!features[feature] || !sign.test(proven.fault)) continue;
    features = { ...features, [feature]: false };
    proven = await tryNamespaces({ ...programs, features }, means);
  }
  return proven;
}

/** What old versions and kernels lack, by what they say then. */
const dispensable: readonly { readonly sign: RegExp; readonly feature: keyof NamespaceFeatures }[] = [
  { sign: /--size/, feature: "sizes" },
  { sign: /resource temporarily|fork/i, feature: "countProcesses" },
  { sign: /does not run here: .*seccomp/i, feature: "filter" },
];

/** It writes where it may not, looks for haft's own, for another network and for rights, and leaves something running. */
const escape = `
echo made > "$IN/made"
echo changed 2>/dev/null > "$IN/kept"
echo new 2>/dev/null > "$IN/absent"
echo out 2>/dev/null > "$OUT/out"
echo out 2>/dev/null > "$HIDDEN/out"
cat "$HIDDEN/word" 2>/dev/null
[ -w /proc/sys/kernel/core_pattern ] && echo pattern
sed 's/^/net /' /proc/net/dev
sed -n 's|^[^ ]* / [^ ]* |root |p' /proc/self/mounts
grep -E '^(CapEff|CapBnd|NoNewPrivs|Uid|Seccomp|Seccomp_filters):' /proc/self/status
unshare -U true 2>/dev/null && echo unshared
sed 's/^/limit /' /proc/self/limits
setsid sleep 600 > /dev/null 2>&1 &
echo up`;

async function tryNamespaces(walls: NamespaceWalls, means: Means): Promise<Proven | Fault> {
  const { level, features } = walls;
  const scene = openScene();
  try {
    const { word, hidden, inside, outside } = scene;
    const { stdout, stderr, exitCode, leftBehind, remaining } = await run(
      walls,
      {
        ...means,
        hidden: [...means.hidden, hidden],
        protected: [...means.protected, join(inside, "kept"), join(inside, "absent")],
      },
      { line: escape, writable: [inside], scene },
    );
    const said = stdout.text;
    if (!said.endsWith("up\n")) {
      const complaint = firstLine(stderr.text || said);
      return { fault: `${level} does not run here: ${complaint} (exit code ${exitCode})`, remedy: allowIt };
    }
    const fault = [
      [!/^CapEff:\s*0+$/m.test(said), `${level} leaves its commands capabilities`],
      [!existsSync(join(inside, "made")), `a command in ${level} could not write where it may`],
      [readFileSync(join(inside, "kept"), "utf8") !== word, `a command in ${level} wrote what it may not`],
      [
        existsSync(join(inside, "absent")) || existsSync(join(outside, "out")),
        `a command in ${level} made a file where it may not`,
      ],
      [features.filter && !isFiltered(said), `${level} does not filter its commands' system calls`],
      [/^pattern$/m.test(said), `${level} leaves the kernel's settings writable`],
      [!/^root ro,/m.test(said), `${level} leaves the system writable`],
      [
        said.includes(word) || existsSync(join(hidden, "out")),
        `a command in ${level} reached what is hidden`,
      ],
      [
        !/^net\s+lo:/m.test(said) || /^net\s+(?!lo:)\S+:\s/m.test(said),
        `${level} leaves its commands the network`,
      ],
      [leftBehind === 0 || remaining > 0, `a process outlived the ${level} it ran in`],
    ].find(([failed]) => failed === true)?.[1];
    if (fault !== undefined) return { fault: String(fault), remedy: installIt };
    const { memory, processes } = sharedLimits(means);
    return {
      walls,
      level,
      limits: {
        memory: memory === "none" && isLimited(said, "Max data size") ? "rlimit" : memory,
        processes: processes === "none" && features.countProcesses ? "rlimit" : processes,
        fileSize: isLimited(said, "Max file size") ? "rlimit" : "none",
        temporary: features.sizes ? "tmpfs" : "none",
      },
      detail: [
        `${level} keeps commands to their folders and off the network, and nothing outlives it`,
        ...(features.filter ? [] : [unfiltered]),
      ].join("; "),
    };
  } catch (error) {
    return { fault: `${level} does not start: ${getErrorMessage(error)}`, remedy: allowIt };
  } finally {
    scene.close();
  }
}

const unfiltered = `no system call is filtered, those for the keys of haft's session neither, on this kernel (${process.arch})`;

/** Whether the kernel holds the canary to one filter more than haft, and refuses it a user namespace. */
function isFiltered(said: string): boolean {
  const filters = (status: string) => Number(/^Seccomp_filters:\s*(\d+)$/m.exec(status)?.[1] ?? Number.NaN);
  const own = filters(readFileSync("/proc/self/status", "latin1"));
  const isMore = Number.isNaN(own) || filters(said) > own;
  return /^Seccomp:\s*2$/m.test(said) && isMore && !/^unshared$/m.test(said);
}

/** It writes where it may not, moves away what holds it, looks for haft's own and for a network, and starts others' programs. */
const escapeSeatbelt = `
echo made > "$IN/made"
echo changed 2>/dev/null > "$IN/kept"
echo new 2>/dev/null > "$IN/ABSENT"
mv "$IN" "$TMPDIR/moved" 2>/dev/null && echo moved
ln "$IN/kept" "$IN/other" 2>/dev/null && echo linked 2>/dev/null > "$IN/other"
echo out 2>/dev/null > "$OUT/out"
echo out 2>/dev/null > "$HIDDEN/out"
cat "$HIDDEN/word" "$OUT/word" 2>/dev/null
echo own > "$TMPDIR/own" && echo temporary
/usr/bin/nc -z -G 1 127.0.0.1 "$PORT" 2>/dev/null && echo connected
/usr/bin/nc -z -u -G 1 1.1.1.1 53 2>/dev/null && echo connected
/bin/launchctl submit -l haft.canary -- /usr/bin/touch "$OUT/out" 2>/dev/null
ulimit -f
sleep 600 > /dev/null 2>&1 &
echo up`;

async function proveSeatbelt(means: Means): Promise<Proven | Fault> {
  if (process.platform !== "darwin") return { fault: `seatbelt is for macOS, this is ${process.platform}` };
  if (!existsSync(sandboxExec)) return { fault: `seatbelt needs ${sandboxExec}, which is not there` };
  const walls: Walls = { level: "seatbelt" };
  const scene = openScene();
  const listener = await listenOnLoopback();
  try {
    const { word, hidden, inside, outside } = scene;
    writeFileSync(join(outside, "word"), word);
    const { stdout, stderr, exitCode, leftBehind, remaining } = await run(
      walls,
      {
        ...means,
        hidden: [...means.hidden, hidden],
        protected: [...means.protected, join(inside, "kept"), join(inside, "absent")],
      },
      { line: escapeSeatbelt, writable: [inside], scene, variables: { PORT: String(listener.port) } },
    );
    const said = stdout.text;
    if (!said.endsWith("up\n"))
      return {
        fault: `seatbelt does not run here: ${firstLine(stderr.text || said)} (exit code ${exitCode})`,
      };
    const wrote = [join(inside, "absent"), join(outside, "out"), join(hidden, "out")].some((path) =>
      existsSync(path),
    );
    const fault = [
      [!existsSync(join(inside, "made")), "a command in seatbelt could not write where it may"],
      [!/^temporary$/m.test(said), "a command in seatbelt has no folder for temporary files"],
      [
        readFileSync(join(inside, "kept"), "utf8") !== word || wrote,
        "a command in seatbelt wrote what it may not",
      ],
      [/^moved$/m.test(said), "a command in seatbelt moved its own folder away"],
      [said.includes(word), "a command in seatbelt read what is hidden"],
      [/^connected$/m.test(said) || listener.wasReached(), "seatbelt leaves its commands the network"],
      [leftBehind === 0 || remaining > 0, "what a command in seatbelt leaves running can't be ended"],
    ].find(([failed]) => failed === true)?.[1];
    if (fault !== undefined) return { fault: String(fault) };
    return {
      walls,
      level: "seatbelt",
      limits: { ...noLimits, fileSize: /^\d+$/m.test(said) ? "rlimit" : "none" },
      detail:
        "seatbelt keeps commands to their folders and off the network; what calls setsid may outlive its command, kept in all the same",
    };
  } catch (error) {
    return { fault: `seatbelt does not start: ${getErrorMessage(error)}` };
  } finally {
    listener.close();
    scene.close();
  }
}

/** A port that a canary must not reach. */
async function listenOnLoopback(): Promise<{
  readonly port: number;
  readonly wasReached: () => boolean;
  readonly close: () => void;
}> {
  let reached = false;
  const server = createServer((socket) => {
    reached = true;
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, wasReached: () => reached, close: () => void server.close() };
}

async function proveOtherUser(means: Means): Promise<Proven | Fault> {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return { fault: "only root can run commands as another user" };
  const program = lookForProgram("setpriv", ownSearchPath());
  if (program === undefined) return { fault: "setpriv (of util-linux) is not installed" };
  const walls: Walls = { level: "other-user", program };
  const scene = openScene();
  try {
    const { stdout, stderr, leftBehind, remaining } = await run(walls, means, {
      line: `${escape.replace("up", "")}\n${program} --reuid=0 true 2>/dev/null && echo root again\necho up`,
      writable: [],
      scene,
    });
    const said = stdout.text;
    if (!said.endsWith("up\n"))
      return { fault: `setpriv does not run here: ${firstLine(stderr.text || said)}` };
    const { word, inside, outside, hidden } = scene;
    const isOther = /^Uid:\s*([1-9]\d*)\s+\1\s+\1\s+\1$/m.test(said);
    const isBare =
      /^CapEff:\s*0+$/m.test(said) && /^CapBnd:\s*0+$/m.test(said) && /^NoNewPrivs:\s*1$/m.test(said);
    const wrote = [join(inside, "made"), join(outside, "out"), join(hidden, "out")].some((path) =>
      existsSync(path),
    );
    if (!isOther || !isBare || said.includes("root again"))
      return { fault: "a command of another user keeps or regains rights" };
    if (said.includes(word) || wrote)
      return { fault: "a command of another user read or wrote what is root's" };
    if (leftBehind === 0 || remaining > 0) return { fault: "a process of another user can't be ended" };
    const { memory, processes } = sharedLimits(means);
    return {
      walls,
      level: "other-user",
      limits: {
        memory: memory === "none" && isLimited(said, "Max data size") ? "rlimit" : memory,
        processes: processes === "none" && isLimited(said, "Max processes") ? "rlimit" : processes,
        fileSize: isLimited(said, "Max file size") ? "rlimit" : "none",
        temporary: "none",
      },
      detail:
        "commands run as a user without rights, and what they start is ended with them; so they can't change files of root's, and work on a project of root's fails",
      remedy:
        'let everyone change the project ("chmod -R o+rwX FOLDER", and the folders above to be entered), where nobody else is on this machine',
    };
  } catch (error) {
    return { fault: `no command can be run as another user: ${getErrorMessage(error)}` };
  } finally {
    scene.close();
  }
}

async function proveProcessGroup(means: Means): Promise<Proven | Fault> {
  const walls: Walls = { level: "process-group" };
  const scene = openScene();
  try {
    const line = "sed 's/^/limit /' /proc/self/limits 2>/dev/null; sleep 600 &";
    const { stdout, leftBehind, remaining } = await run(walls, means, { line, writable: [], scene });
    if (leftBehind === 0 || remaining > 0) return { fault: "what a command leaves running can't be ended" };
    const shared = sharedLimits(means);
    return {
      walls,
      level: "process-group",
      limits: {
        ...shared,
        memory:
          shared.memory === "none" && isLimited(stdout.text, "Max data size") ? "rlimit" : shared.memory,
        fileSize: isLimited(stdout.text, "Max file size") ? "rlimit" : "none",
      },
      detail: "what a command starts is ended with it",
    };
  } catch (error) {
    return { fault: `no command can be run: ${getErrorMessage(error)}` };
  } finally {
    scene.close();
  }
}

/** What the groups do, which every canary joined before anything else, or did not run at all. */
function sharedLimits({ cgroups }: Means): LimitsReport {
  const { memory, processes } = cgroups.features;
  return { ...noLimits, memory: memory ? "cgroup" : "none", processes: processes ? "cgroup" : "none" };
}

/** The kernel's own word for what holds the canary. macOS has none. */
function isLimited(said: string, name: string): boolean {
  return new RegExp(`^limit ${name}\\s+\\d+\\s`, "m").test(said);
}

/** Folders on which a canary tries itself. */
interface Scene {
  readonly inside: string;
  readonly outside: string;
  readonly hidden: string;
  /** Stands in the file that is to be kept, and in the hidden one. */
  readonly word: string;
  close(): void;
}

function openScene(): Scene {
  const base = mkdtempSync(join(tmpdir(), "haft-canary-"));
  const [inside, outside, hidden] = ["in", "out", "in/hidden"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [inside, outside, hidden]) mkdirSync(folder, { mode: 0o700 });
  const word = `canary-${base.slice(-6)}`;
  writeFileSync(join(inside, "kept"), word);
  writeFileSync(join(hidden, "word"), word);
  return { inside, outside, hidden, word, close: () => rmSync(base, { recursive: true, force: true }) };
}

interface CanaryRun {
  readonly line: string;
  readonly writable: readonly string[];
  readonly scene: Scene;
  /** Beside those that name the folders. @default none */
  readonly variables?: Readonly<Record<string, string>>;
}

async function run(
  walls: Walls,
  means: Means,
  { line, writable, scene, variables }: CanaryRun,
): Promise<ProcessResult> {
  const { inside, outside, hidden } = scene;
  await using processes = new Processes({
    from: "direct",
    sandbox: {
      async enclose(request) {
        // What is said instead is for the proof to judge.
        const { notBegun: _, ...enclosed } = await enclose(walls, means, request);
        return enclosed;
      },
    },
  });
  return await processes.runShell(line, {
    cwd: "/",
    environment: { PATH: process.env["PATH"] ?? "", IN: inside, OUT: outside, HIDDEN: hidden, ...variables },
    signal: AbortSignal.timeout(canaryTimeoutMs),
    bounds: { writable },
  });
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0]?.slice(0, 200) || "it said nothing";
}
