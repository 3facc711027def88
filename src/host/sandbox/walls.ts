import { HostError } from "../errors.ts";
import type { WaitRequest } from "../process/request.ts";
import { canLaunch, type Wrapped, wrapInBubblewrap } from "./bubblewrap/bubblewrap.ts";
import type { Proxy } from "./egress/proxy.ts";
import type { Enclosed, EncloseRequest } from "./enclosing.ts";
import { checkProgram } from "./find-program.ts";
import { becoming, quoted, shell } from "./launcher.ts";
import type { Cgroup, Cgroups } from "./linux/cgroups.ts";
import { limitLines, type SandboxLimits } from "./linux/limits.ts";
import type { CoverFiles } from "./mounts/cover-files.ts";
import type { TemporaryFolders } from "./mounts/temporary-folders.ts";
import { type UserPool, wrapAsOtherUser } from "./other-user.ts";
import { canonical } from "./places.ts";
import type { SandboxLevel } from "./report.ts";
import { type SessionFolders, wrapInSeatbelt } from "./seatbelt/seatbelt.ts";
import type { NamespacePrograms } from "./unshare/namespace-programs.ts";
import type { Around, NamespaceFeatures, NamespaceOptions, WayOut } from "./unshare/namespaces.ts";
import { wrapInUnshare } from "./unshare/unshare.ts";

/** What a sandbox has at hand, whatever its level. */
export interface Means {
  readonly limits: SandboxLimits;
  readonly covers: CoverFiles;
  readonly temporary: TemporaryFolders;
  /** The folders for temporary files where a command has no `/tmp` of its own. */
  readonly sessionFolders: SessionFolders;
  readonly cgroups: Cgroups;
  readonly users: UserPool;
  readonly hidden: readonly string[];
  readonly protected: readonly string[];
}

/** A level at which a command runs in namespaces of its own, with what it takes here. */
export type NamespaceWalls = { readonly features: NamespaceFeatures } & NamespacePrograms;

/** A level with what it takes here. */
export type Walls =
  | NamespaceWalls
  | { readonly level: "seatbelt" }
  | { readonly level: "other-user"; readonly program: string }
  | { readonly level: "process-group" | "none" };

/** What to start so that a process is kept in by these walls. */
export async function enclose(walls: Walls, means: Means, given: EncloseRequest): Promise<Enclosed> {
  const cwd = canonical(given.cwd) ?? given.cwd;
  const file = checkProgram(given.file, { cwd, path: given.environment["PATH"] });
  const request: EncloseRequest = { ...given, file, cwd };
  if (process.platform === "win32") return unlimited(request, walls.level);
  switch (walls.level) {
    case "bubblewrap":
    case "unshare":
      return inNamespaces(walls, means, request);
    case "seatbelt":
      return inSeatbelt(means, request);
    case "other-user":
      return asOtherUser(walls, means, request);
    case "process-group":
    case "none":
      return inProcessGroup(walls, means, request);
    default:
      return walls satisfies never;
  }
}

async function inNamespaces(walls: NamespaceWalls, means: Means, request: EncloseRequest): Promise<Enclosed> {
  const { hidden, limits, covers, temporary } = means;
  const way = await findWayOut(request);
  const mayLaunch =
    walls.level === "bubblewrap" && request.mayLaunch === true && canLaunch(request.environment);
  let group: Cgroup | undefined;
  try {
    group = (mayLaunch ? means.cgroups.takeAhead() : undefined) ?? means.cgroups.make(limits);
    const wrapped = wrapInNamespaces(
      walls,
      request,
      { features: walls.features, limits, hidden, protected: means.protected, covers, temporary },
      { enter: entering(group), wayOut: way?.wayOut },
    );
    const { formatLaunch, ...rest } = wrapped;
    return {
      ...rest,
      ...(group?.isAhead === true && formatLaunch && { launch: { id: group.name, format: formatLaunch } }),
      ...(mayLaunch && { waitForNext: () => toWaitRequest(means.cgroups.makeAhead(limits)) }),
      level: walls.level,
      confinement: { supervised: true, ...(group !== undefined && { group: group.lists[0] }) },
      refusedHosts: () => way?.proxy.refused ?? [],
      failedHosts: () => way?.proxy.failed ?? [],
      notBegun: (said) => notBegun(request.file, said),
      release() {
        wrapped.release();
        way?.proxy.close();
        group?.remove();
      },
    };
  } catch (error) {
    way?.proxy.close();
    group?.remove();
    throw error;
  }
}

async function inSeatbelt(means: Means, request: EncloseRequest): Promise<Enclosed> {
  const { limits, hidden, sessionFolders } = means;
  const { bounds } = request;
  const way = (bounds.hosts ?? []).length === 0 ? undefined : await openLoopback(bounds);
  const { folder: temporary, leave } = sessionFolders.enter(bounds.temporary);
  try {
    const options = { limits, hidden, protected: means.protected, temporary, proxy: way };
    return {
      ...wrapInSeatbelt(request, options),
      level: "seatbelt",
      confinement: undefined,
      refusedHosts: () => way?.proxy.refused ?? [],
      failedHosts: () => way?.proxy.failed ?? [],
      release() {
        way?.proxy.close();
        leave();
      },
    };
  } catch (error) {
    way?.proxy.close();
    leave();
    throw error;
  }
}

async function openLoopback(bounds: EncloseRequest["bounds"]) {
  const { openLoopbackWayOut } = await import("./egress/egress.ts");
  return openLoopbackWayOut(bounds);
}

function wrapInNamespaces(
  walls: NamespaceWalls,
  request: EncloseRequest,
  options: NamespaceOptions,
  around: Around,
): Wrapped {
  const { program } = walls;
  return walls.level === "bubblewrap"
    ? wrapInBubblewrap(request, { ...options, program }, around)
    : wrapInUnshare(request, { ...options, program, perl: walls.perl }, around);
}

/** What sets the namespaces up complains before it starts anything; the reason is on its first line. */
function notBegun(file: string, said: string): HostError {
  const [why = ""] = said.split("\n");
  return new HostError(
    "PROCESS_NOT_STARTED",
    `Cannot start "${file}" in the sandbox: ${why.slice(0, 500) || "it ended at once, and said nothing"}; see \`haft doctor\` for what works here`,
    { details: { said: said.slice(0, 4000) } },
  );
}

async function findWayOut(
  request: EncloseRequest,
): Promise<{ wayOut: WayOut; proxy: Pick<Proxy, "refused" | "failed" | "close"> } | undefined> {
  if ((request.bounds.hosts ?? []).length === 0) return undefined;
  const { openWayOut } = await import("./egress/egress.ts");
  return openWayOut(request);
}

function asOtherUser(
  { program }: Extract<Walls, { level: "other-user" }>,
  { users, cgroups, limits }: Means,
  request: EncloseRequest,
): Enclosed {
  const user = users.take();
  if (user === undefined) {
    throw new HostError(
      "PROCESS_NOT_STARTED",
      `Cannot start "${request.file}": too many commands run at once; try again when some have ended`,
    );
  }
  const group = cgroups.make(limits);
  return {
    ...wrapAsOtherUser(request, { program, limits, user, enter: entering(group) }),
    level: "other-user",
    confinement: { user, ...(group !== undefined && { group: group.lists[0] }) },
    refusedHosts: () => [],
    failedHosts: () => [],
    release() {
      users.giveBack(user);
      group?.remove();
    },
  };
}

function inProcessGroup(walls: Walls, { cgroups, limits }: Means, request: EncloseRequest): Enclosed {
  const group = cgroups.make(limits);
  const prelude = [entering(group), limitLines(limits, { countProcesses: false })].filter(Boolean).join("\n");
  return {
    file: shell,
    args: becoming(prelude, [request.file, ...request.args]),
    environment: request.environment,
    level: walls.level,
    confinement: group === undefined ? undefined : { group: group.lists[0] },
    refusedHosts: () => [],
    failedHosts: () => [],
    release: () => group?.remove(),
  };
}

function unlimited({ file, args, environment }: EncloseRequest, level: SandboxLevel): Enclosed {
  return {
    file,
    args,
    environment,
    level,
    confinement: undefined,
    refusedHosts: () => [],
    failedHosts: () => [],
    release() {},
  };
}

function toWaitRequest(group: Cgroup | undefined): WaitRequest | undefined {
  const enter = entering(group);
  return group && { id: group.name, file: shell, args: ["-c", `${enter}\nexec ${shell}`] };
}

/** The shell joins the groups, and all that comes after it is born in them. Where it can't, nothing runs. */
function entering(group: Cgroup | undefined): string | undefined {
  return group?.lists.map((list) => `echo 0 > ${quoted(list)} || exit 126`).join("\n");
}
