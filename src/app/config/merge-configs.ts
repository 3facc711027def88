import { type SandboxLevel, sandboxLevels } from "../../host/index.ts";
import type { Mode } from "../../kernel/index.ts";
import type { HaftConfig, ServersConfig } from "./config-types.ts";
import { lowerTaskLimits } from "./task-limits.ts";

/**
 * What may be taken from a project's file that its user has not trusted: what makes haft stricter, and tests, which
 * change nothing. A folder that came from elsewhere must not open anything by the file it brings along.
 */
export function onlyStricter({
  permissions = [],
  agents,
  agent,
  mode,
  ledger,
  sandbox,
  policyTests,
}: HaftConfig): HaftConfig {
  const stricter = permissions.filter((rule) => rule.decision !== "allow");
  const stricterAgent: NonNullable<HaftConfig["agent"]> = {
    ...(agent?.reflect === "off" && { reflect: "off" }),
    ...(agent?.tasks !== undefined && { tasks: agent.tasks }),
  };
  return {
    ...(stricter.length > 0 && { permissions: stricter }),
    ...(agents !== undefined && { agents }),
    ...(mode !== undefined && mode !== "auto" && { mode }),
    ...(ledger === "required" && { ledger }),
    ...(sandbox?.atLeast !== undefined && { sandbox: { atLeast: sandbox.atLeast } }),
    ...(policyTests !== undefined && { policyTests }),
    ...(Object.keys(stricterAgent).length > 0 && { agent: stricterAgent }),
  };
}

/** The user's own file with that of a project under it that is not trusted, of which {@link onlyStricter} is left. */
export function tightenConfig(own: HaftConfig, project: HaftConfig): HaftConfig {
  const mode = stricterMode(own.mode, project.mode);
  const atLeast = higherLevel(own.sandbox?.atLeast, project.sandbox?.atLeast);
  const { tasks: wanted, ...agent } = project.agent ?? {};
  const tasks = lowerTaskLimits(own.agent?.tasks, wanted);
  const merged = mergeConfigs(own, {
    ...(project.permissions !== undefined && { permissions: project.permissions }),
    ...(project.policyTests !== undefined && { policyTests: project.policyTests }),
    ...(Object.keys(agent).length > 0 && { agent }),
  });
  return {
    ...merged,
    ...(mode !== undefined && { mode }),
    ...(project.ledger !== undefined && { ledger: project.ledger }),
    ...(atLeast !== undefined && { sandbox: { ...own.sandbox, atLeast } }),
    ...(tasks !== undefined && { agent: { ...merged.agent, tasks } }),
  };
}

/** The user's own file with a trusted project's over it; the rules and the tests of both hold. `agents` stay by file, as all of them bind. */
export function mergeConfigs(own: HaftConfig, project: HaftConfig): HaftConfig {
  const mode = project.mode ?? own.mode;
  const ledger = project.ledger ?? own.ledger;
  const shadow = mergeShadow(own, project);
  const servers = [...listServers(own), ...listServers(project)];
  const hooks = [...(own.hooks ?? []), ...(project.hooks ?? [])];
  const clients = { ...own.serve?.clients, ...project.serve?.clients };
  const search = { ...own.tools?.search, ...project.tools?.search };
  const models = { ...own.models, ...project.models };
  const tasks = { ...own.agent?.tasks, ...project.agent?.tasks };
  const agent = { ...own.agent, ...project.agent, ...(Object.keys(tasks).length > 0 && { tasks }) };
  const tests = [...(own.policyTests ?? []), ...(project.policyTests ?? [])];
  return {
    tools: { ...own.tools, ...project.tools, ...(Object.keys(search).length > 0 && { search }) },
    serve: { ...own.serve, ...project.serve, ...(Object.keys(clients).length > 0 && { clients }) },
    store: { ...own.store, ...project.store },
    sandbox: { ...own.sandbox, ...project.sandbox },
    snapshots: { ...own.snapshots, ...project.snapshots },
    memory: { ...own.memory, ...project.memory },
    approvals: { ...own.approvals, ...project.approvals },
    ...(mode !== undefined && { mode }),
    ...(ledger !== undefined && { ledger }),
    // A model is taken whole, so that a key of one file never goes to an address of the other.
    ...(Object.keys(models).length > 0 && { models }),
    ...(Object.keys(agent).length > 0 && { agent }),
    ...(own.secrets !== undefined && { secrets: own.secrets }),
    permissions: [...(own.permissions ?? []), ...(project.permissions ?? [])],
    ...(servers.length > 0 && { mcpServers: servers }),
    ...(hooks.length > 0 && { hooks }),
    ...(shadow !== undefined && { shadowPermissions: shadow }),
    ...(tests.length > 0 && { policyTests: tests }),
  };
}

/** The servers as a list: a name in both files is two servers, of which only one can be had. */
export function listServers({ mcpServers, tools }: HaftConfig): readonly object[] {
  return [...toList(tools?.mcpServers), ...toList(mcpServers)];
}

function toList(servers: ServersConfig = []): readonly object[] {
  return Array.isArray(servers)
    ? servers
    : Object.entries(servers).map(([name, server]) => ({ ...(server as object), name }));
}

/** The shadow rules. In each file they stand for its `permissions`; a file without them keeps its own. */
function mergeShadow(own: HaftConfig, project: HaftConfig): HaftConfig["shadowPermissions"] {
  if (own.shadowPermissions === undefined && project.shadowPermissions === undefined) return undefined;
  return [own, project].flatMap((file) => file.shadowPermissions ?? file.permissions ?? []);
}

/** `plan` and `locked` forbid different things: neither takes the place of the other. */
const strictness: Readonly<Record<Mode, number>> = { auto: 0, ask: 1, plan: 2, locked: 2 };

function stricterMode(own: Mode | undefined, project: Mode | undefined): Mode | undefined {
  return project !== undefined && strictness[project] > strictness[own ?? "ask"] ? project : own;
}

const defaultLevel: SandboxLevel = "other-user";

function higherLevel(
  own: SandboxLevel | undefined,
  project: SandboxLevel | undefined,
): SandboxLevel | undefined {
  const strength = (level: SandboxLevel) => -sandboxLevels.indexOf(level);
  return project !== undefined && strength(project) > strength(own ?? defaultLevel) ? project : own;
}
