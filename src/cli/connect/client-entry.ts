import type { ClientEdit, ClientPlaces } from "../../app/index.ts";
import type { ClientForm, Endpoint } from "../clients/form.ts";

/** Locations of a client's files, and the program that it starts. */
export interface ClientSetting extends ClientPlaces {
  /** Absolute path of the program behind `haft mcp`, which works in the folder where it is started unless `args` name one. */
  readonly command: string;
  readonly args: readonly string[];
}

/** The edits that switch off one thing in a client: its own tools, or its own approval question. */
export interface ClientHalf {
  /** Edits to the client's files. */
  readonly edits: readonly ClientEdit[];
  /** A sentence on what the files cannot do and what the owner does instead. */
  readonly but?: string;
  /** A sentence on why nothing has to be done. */
  readonly none?: string;
}

/** An MCP client that `haft connect` supports, and how it is configured. */
export interface ClientEntry {
  /** Name of the client for `haft connect`, `--print-config` and `haft doctor --client`. */
  readonly id: string;
  readonly title: string;
  /** Version that test/clients runs. Absent: this entry is based on the client's documentation only. */
  readonly driven?: string;
  /** The client does not start its servers in the user's project, so the command has to name the folder. */
  readonly needsFolder?: true;
  /** Edit that registers haft in the client's file as a program to start. */
  readonly server: (setting: ClientSetting) => ClientEdit;
  /** Form that registers haft over HTTP, if the client supports it. */
  readonly http?: (endpoint: Endpoint) => ClientForm;
  /** Form that registers haft with the client's own command line. */
  readonly shell?: (endpoint: Endpoint) => ClientForm;
  /** Edits that switch off the client's own file and shell tools. */
  readonly ownTools: (setting: ClientSetting) => ClientHalf;
  /** Edits that switch off the client's own question before each of haft's tools, as haft asks by its own rules. */
  readonly ownQuestion: (setting: ClientSetting) => ClientHalf;
}

/** Tool timeout for clients: a person may need an hour to answer. */
export const patience = { seconds: 3600, milliseconds: 3_600_000 } as const;

/** Server entry in the form that most clients take. */
export function started({ command, args }: Pick<ClientSetting, "command" | "args">): {
  readonly command: string;
  readonly args: readonly string[];
} {
  return { command, args };
}
