import { join } from "node:path";
import { compileGlob, RecentMap } from "../../base/index.ts";
import type { CallContext, Hook, Rule, ToolLimits } from "../../kernel/index.ts";
import type { AgentFile } from "../../sources/index.ts";
import type { AgentLists, HaftConfig } from "../config/config-types.ts";
import { configFileName } from "../config/load-config.ts";
import type { Home } from "../home.ts";
import { expandPacks } from "../packs/tool-packs.ts";
import { invocationHook, limitStarting } from "./starting-agents.ts";

export interface AgentParts {
  /** The project's. */
  readonly folder: string;
  readonly home: Pick<Home, "config">;
  /** Those of both files hold, also of a project that is not trusted. */
  readonly loaded: { readonly own: HaftConfig; readonly project: HaftConfig };
  /** Those that name an agent are something that is written down of it. */
  readonly rules: readonly Rule[];
  /** The only agent that calls are made for. @default any */
  readonly only: string | undefined;
  /** The agents in files, the same array until something changes. */
  readonly files: () => readonly AgentFile[];
}

const mostKept = 1000;

/** Which tools the agents have by configuration and by their own files. Every list that names an agent binds it. */
export class Agents {
  readonly #configured: readonly { readonly id: string; readonly limits: ToolLimits }[];
  readonly #files: () => readonly AgentFile[];
  readonly #rules: readonly string[];
  readonly #only: string | undefined;
  readonly #kept = new RecentMap<string, readonly ToolLimits[]>(mostKept);
  #seen: readonly AgentFile[] = [];
  readonly #invocationHook = invocationHook((agentId) =>
    this.#files().filter(({ id }) => isFor(id, agentId)),
  );

  constructor({ folder, home, loaded, rules, only, files }: AgentParts) {
    this.#configured = [
      ...limitsIn(loaded.own.agents, home.config),
      ...limitsIn(loaded.project.agents, join(folder, configFileName)),
    ];
    this.#files = files;
    this.#rules = rules.flatMap(({ agent = "" }) => (agent === "" ? [] : [agent]));
    this.#only = only;
  }

  /** The ids of those that something is written down of. */
  ids(): readonly string[] {
    const ofFiles = this.#files().flatMap(({ id = [] }) => id);
    return Array.from(new Set([...this.#configured.map(({ id }) => id), ...ofFiles]));
  }

  /** Whether anything is written down of it: lists, a file, or a rule that names it. */
  isKnown(id: string): boolean {
    return (
      this.ids().some((one) => one === id || toAddress(one) === id) ||
      this.#rules.some((glob) => compileGlob(glob)(id))
    );
  }

  /** Whether calls can be made in this name: where agents are written down, only in that of one of them. */
  has(id: string): boolean {
    if (this.#only !== undefined) return id === this.#only;
    return this.isKnown(id) || (this.#rules.length === 0 && this.ids().length === 0);
  }

  /** The hooks for the calls of agents, those of the user first. */
  readonly withHooks = (hooks: readonly Hook[]): readonly Hook[] =>
    this.#files().length === 0 ? hooks : [...hooks, this.#invocationHook];

  /** The lists that bind a call; a call of no agent has none. The same array until something changes. */
  readonly findLimits = ({ agentId }: Pick<CallContext, "agentId">): readonly ToolLimits[] => {
    if (agentId === undefined) return none;
    const files = this.#files();
    if (files !== this.#seen) this.#kept.clear();
    this.#seen = files;
    const kept = this.#kept.get(agentId);
    if (kept !== undefined) return kept;
    const limits = [
      ...this.#configured.filter(({ id }) => isFor(id, agentId)).map((one) => one.limits),
      ...files
        .filter(({ id }) => isFor(id, agentId))
        .flatMap((file) => [withPacks(file.limits), ...limitStarting(file)]),
    ];
    this.#kept.set(agentId, limits);
    return limits;
  };
}

const none: readonly ToolLimits[] = [];

/** An entry without an id holds for every agent. */
function isFor(id: string | undefined, agentId: string): boolean {
  return id === undefined || id === agentId || toAddress(id) === agentId;
}

/** How other agents call the one of a space. */
function toAddress(id: string): string {
  return `space:${id}`;
}

function limitsIn(
  agents: Readonly<Record<string, AgentLists>> = {},
  file: string,
): { readonly id: string; readonly limits: ToolLimits }[] {
  return Object.entries(agents).map(([id, lists]) => ({
    id,
    limits: withPacks({ by: `the agent "${id}"`, place: `agents.${id} in "${file}"`, ...lists }),
  }));
}

/** The same limits with the tools of each pack that they name. */
function withPacks({ allowedTools, blockedTools, ...rest }: ToolLimits): ToolLimits {
  return {
    ...rest,
    ...(allowedTools !== undefined && { allowedTools: expandPacks(allowedTools) }),
    ...(blockedTools !== undefined && { blockedTools: expandPacks(blockedTools) }),
  };
}
