import type { JsonSchema } from "../base/index.ts";
import type { Migration } from "../db/index.ts";
import type { Tool } from "../kernel/index.ts";
import type { JobHandlers } from "./jobs/index.ts";

/** The vocabularies of tools that an installation chooses from: one name for each ability. */
export const profiles = ["coding", "task", "full", "queue"] as const;
export type Profile = (typeof profiles)[number];

/**
 * One feature as data: what its folder adds to an installation. The composition reads it before anything is loaded, so a
 * module's code stands behind `import()`.
 */
export interface Module<Ports> {
  readonly name: string;
  /** Its tools, by family. An installation has a family whole or not at all. */
  readonly families?: Readonly<Record<string, ToolFamily<Ports>>>;
  /** Tools by collection that are in no family, since an agent has them only while it runs. @default none */
  readonly collections?: Readonly<Record<string, readonly string[]>>;
  /** How its tables came to be, numbered over all modules. */
  readonly migrations?: () => Promise<readonly Migration[]>;
  /** What it does in the background, by kind of job; opened in programs that stay. */
  readonly jobs?: (ports: Ports) => Promise<JobHandlers>;
  /** Its settings in `haft.config.yml`, by name. */
  readonly settings?: Readonly<Record<string, JsonSchema>>;
  /** Its settings below `tools:`, by name. */
  readonly toolSettings?: Readonly<Record<string, JsonSchema>>;
}

/** Tools that are chosen together. */
export interface ToolFamily<Ports> {
  /** The pack that rules and lists know them by. @default the module's name */
  readonly pack?: string;
  /** The profiles that have them. Of two tools of one name, a profile has that of the family which stands first. @default all */
  readonly profiles?: readonly Profile[];
  /** Whether settings choose them. Undefined leaves it to the profile. @default undefined */
  readonly isChosen?: (ports: Ports) => boolean | undefined;
  /** Whether they are of use only where a model is configured, and are left out elsewhere. @default false */
  readonly needsModel?: boolean;
  /** The collections they are in: whole, or these tools of them. @default none */
  readonly collections?: Readonly<Record<string, "all" | readonly string[]>>;
  /** Whether settings decide how they present themselves: they are then made at the start. @default false */
  readonly isConfigured?: (ports: Ports) => boolean;
  readonly make: (ports: Ports) => Promise<readonly Tool[]>;
}
