import type { Command } from "commander";
import type { Session } from "./session.ts";

/** Adds arguments, options, examples and the action of one command; its name and summary are set already. */
type DefineCommand = (command: Command, session: Session) => void;

export interface CommandEntry {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  readonly group: "Offer the tools" | "Use them here" | "Look after it";
  /** Not listed: for programs, not for people. @default false */
  readonly hidden?: boolean;
  /** Whether it stays, so that its heap begins small. @default false */
  readonly isServer?: boolean;
  /** Only the command that was typed is loaded. */
  readonly load: () => Promise<DefineCommand>;
}
