import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Approver, CallContext, ToolExecutor } from "../kernel/index.ts";
import type { ToolRegistry } from "../kernel/index.ts";
import type { Store } from "../store/index.ts";
import type { Home } from "./home.ts";
import type { LoadedConfig } from "./load-config.ts";

export interface AppOptions {
  /** The project folder: where `haft.config.yml` is looked for and relative paths start. */
  readonly folder: string;
  readonly home: Home;
  /** Who can be asked, unless a call brings its own. @default nobody */
  readonly approver?: Approver;
  /** Over the configuration's. */
  readonly profile?: "coding" | "task";
}

/** One installation, put together: the tools, the gate and the store of one project folder. */
export interface App {
  readonly folder: string;
  readonly home: Home;
  readonly loaded: LoadedConfig;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  /** The bounds and the scope every call of this installation has. */
  readonly context: CallContext;
  /** Opened at the first call, or when first asked for. */
  store(): Promise<Store>;
  /** Ends what runs, closes what is open. */
  close(): Promise<void>;
}
