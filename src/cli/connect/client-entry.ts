import type { ClientEdit, ClientPlaces } from "../../app/index.ts";
import type { ClientForm, Endpoint } from "../client-form.ts";

/** Where a client's files are, and the program that it starts. */
export interface ClientSetting extends ClientPlaces {
  /** `haft mcp`, absolute. It works in the folder in which the client starts it, unless it names one. */
  readonly command: string;
  readonly args: readonly string[];
}

/** One half of what keeps a client's calls behind haft. */
export interface ClientHalf {
  /** What its files have to say. */
  readonly edits: readonly ClientEdit[];
  /** What the files can't do, and what its owner does instead: a sentence. */
  readonly but?: string;
  /** Why nothing has to be done: a sentence. */
  readonly none?: string;
}

/** A client that haft is connected to: everything that haft knows of it. */
export interface ClientEntry {
  /** Names it for `haft connect`, `--print-config` and `haft doctor --client`. */
  readonly id: string;
  readonly title: string;
  /** The version that test/clients drives. Absent: what stands here comes from the client's documentation alone. */
  readonly driven?: string;
  /** It starts its servers in no folder of the user's, so the command has to name one. */
  readonly needsFolder?: true;
  /** haft in the client's own file, as a program that it starts. */
  readonly server: (setting: ClientSetting) => ClientEdit;
  /** The same over HTTP, for a client that has it. */
  readonly http?: (endpoint: Endpoint) => ClientForm;
  /** The same as a command of the client's own. */
  readonly shell?: (endpoint: Endpoint) => ClientForm;
  /** Its own file and shell tools, off. */
  readonly ownTools: (setting: ClientSetting) => ClientHalf;
  /** Its own question before each of haft's tools, off: haft asks where rules leave a call to a person. */
  readonly ownQuestion: (setting: ClientSetting) => ClientHalf;
}

/** A person may need an hour for an answer. */
export const patience = { seconds: 3600, milliseconds: 3_600_000 } as const;

/** The program in the form that most clients take. */
export function started({ command, args }: Pick<ClientSetting, "command" | "args">): {
  readonly command: string;
  readonly args: readonly string[];
} {
  return { command, args };
}
