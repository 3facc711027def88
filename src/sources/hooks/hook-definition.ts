/** What an id of a hook looks like. */
export const hookIdPattern: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** A hook as its owner writes it, in the configuration or as the front matter of `agent/hooks/*.md`. */
export interface HookEntry {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly type: "pre_tool" | "post_tool";
  readonly tools?: readonly string[];
  readonly command: string;
  readonly blocking?: boolean;
  /** The deadline in the unit of where it stands. */
  readonly timeout?: number;
  readonly priority?: number;
  readonly hosts?: readonly string[];
  readonly enabled?: boolean;
}

/** A hook with its defaults filled in. */
export interface HookDefinition {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly type: "pre_tool" | "post_tool";
  readonly tools: readonly string[];
  readonly command: string;
  readonly blocking: boolean;
  readonly timeoutMs: number;
  readonly priority: number;
  readonly hosts: readonly string[];
  readonly enabled: boolean;
  /** The file it stands in. */
  readonly file: string;
}

const defaultTimeoutMs = 10_000;

/** @param unitMs of `timeout`: milliseconds in a configuration, seconds in a Markdown file. */
export function toDefinition(entry: HookEntry, file: string, unitMs: 1 | 1000): HookDefinition {
  const { id, type, command, name = id, description = "", tools = [], hosts = [] } = entry;
  return {
    id,
    name,
    description,
    type,
    tools: tools.includes("*") ? [] : tools,
    command,
    blocking: entry.blocking ?? true,
    timeoutMs: entry.timeout === undefined ? defaultTimeoutMs : entry.timeout * unitMs,
    priority: entry.priority ?? 0,
    hosts,
    enabled: entry.enabled ?? true,
    file,
  };
}
