import type { Connector, Environment, Processes, Snapshots, Workspace } from "../../host/index.ts";
import type { SecretSource, ToolRegistry } from "../../kernel/index.ts";
import type { Asker, AuthProviders } from "../../mcp/index.ts";
import type { ExtensionLog } from "../../sources/index.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Home } from "../home.ts";
import type { LazyStore } from "../lazy-store.ts";
import type { Store } from "../store/open-store.ts";

/**
 * `follow`: for a program that goes on, with servers connected to at once and files followed as they change. `once`:
 * files are read once, and servers connected to when somebody wants their tools. `none`: nothing is looked at.
 */
export type SourceUse = "follow" | "once" | "none";

/** What the sources of an installation are made of. */
export interface SourceParts {
  /** The project's; canonical. */
  readonly folder: string;
  readonly home: Home;
  readonly loaded: LoadedConfig;
  readonly registry: ToolRegistry;
  readonly processes: Processes;
  readonly workspace: Workspace;
  readonly snapshots: Snapshots | undefined;
  /** Parts of the store that undo uses. */
  readonly journal: Pick<LazyStore, "artifacts" | "changes">;
  readonly connector: Connector;
  readonly environment: Environment;
  readonly store: () => Promise<Store>;
  readonly secrets: SecretSource;
  /** Told of a secret before any process has it. */
  readonly learnSecret: (name: string, value: string) => void;
  /** Takes all known secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly allowedHosts: readonly string[];
  readonly use: SourceUse;
  readonly asker: Asker | undefined;
  /** The names of those that are connected to; undefined: all. */
  readonly servers: readonly string[] | undefined;
  readonly auth: AuthProviders | undefined;
  readonly onLog: ((entry: ExtensionLog) => void) | undefined;
  readonly onError: (error: unknown) => void;
}
