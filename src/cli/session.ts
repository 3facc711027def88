import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { App, AppOptions, Home } from "../app/index.ts";
import { getErrorMessage } from "../base/index.ts";
import type { ExtensionLog } from "../sources/index.ts";
import { CliError } from "./errors.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Interrupt } from "./interrupt.ts";
import type { Terminal } from "./terminal.ts";
import { wrapText } from "./text/display-width.ts";

/** The options that every command has. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly folder?: string;
  readonly home?: string;
}

export interface Surroundings {
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
  readonly version: string;
  /** The folder of the package. */
  readonly root: string;
  /** The program and first arguments that start this haft again. */
  readonly program: readonly [string, ...string[]];
}

/** One run of the command line: where it talks to, what was typed for every command, and what it opened. */
export class Session implements Surroundings {
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
  readonly version: string;
  readonly root: string;
  readonly program: readonly [string, ...string[]];
  common: CommonOptions = {};
  /** What was typed after the name of the command. */
  args: readonly string[] = [];
  /** What haft leaves with: one of {@link exitCodes}, or with `haft call --exit-code` the code of a command. */
  exitCode: number = exitCodes.ok;
  readonly #opened: App[] = [];
  #homeIsNamed = false;

  constructor(surroundings: Surroundings) {
    this.terminal = surroundings.terminal;
    this.interrupt = surroundings.interrupt;
    this.version = surroundings.version;
    this.root = surroundings.root;
    this.program = surroundings.program;
  }

  get signal(): AbortSignal {
    return this.interrupt.signal;
  }

  /** Print JSON, and nothing else, to standard output. */
  get asJson(): boolean {
    return this.common.json === true;
  }

  /** The project folder, absolute and without symbolic links. */
  folder(named: string | undefined = this.common.folder): string {
    const folder = resolve(named ?? ".");
    try {
      if (statSync(folder).isDirectory()) return realpathSync(folder);
    } catch (cause) {
      throw new CliError(
        "CLI_NOT_FOUND",
        `Cannot work in "${folder}": there is no such folder; name one that is there`,
        { cause },
      );
    }
    throw new CliError("CLI_NOT_FOUND", `Cannot work in "${folder}": it is a file; name a folder`);
  }

  /** haft's own folder: `--home`, `HAFT_HOME`, or the usual place. */
  async home(): Promise<Home> {
    const [{ Home }, { readVariable }] = await Promise.all([
      import("../app/index.ts"),
      import("../host/index.ts"),
    ]);
    const named = this.common.home ?? readVariable("HAFT_HOME");
    this.#homeIsNamed = named !== undefined && named !== "";
    return new Home(named === undefined || named === "" ? undefined : resolve(named));
  }

  /** haft's own folder is not in its usual place, and whoever starts haft again has to be told. */
  get namesHome(): boolean {
    return this.#homeIsNamed;
  }

  /**
   * Puts the installation together for the project folder; it is closed when the command ends. What the user brought is
   * not looked at unless `sources` says so, and is there where it says "once", but for the tools of servers.
   */
  async openApp(options: Partial<AppOptions> = {}): Promise<App> {
    const [{ createApp }, home] = await Promise.all([import("../app/index.ts"), this.home()]);
    const app = await createApp({
      folder: this.folder(),
      home,
      onError: (error) => this.note(error),
      onLog: (entry) => this.#showPrinted(entry),
      sources: "none",
      ...options,
    });
    this.#opened.push(app);
    if (options.sources === "once") await app.sources.ready();
    return app;
  }

  /** What a tool prints goes to standard error, line by line, behind the tool's name. */
  #showPrinted({ tool, extension, level, message }: ExtensionLog): void {
    const { terminal } = this;
    const name = terminal.foreignError(tool ?? extension);
    const mark = terminal.paintError(level === "info" ? "dim" : "yellow", `[${name}]`);
    for (const line of message.replace(/\n$/, "").split("\n"))
      terminal.err(`${mark} ${terminal.foreignError(line)}\n`);
  }

  /** Tells the user what the configuration has to say. */
  warn(warnings: readonly string[]): void {
    for (const warning of warnings) {
      this.terminal.err(
        `${this.terminal.paintError("yellow", "warning:")} ${this.terminal.foreignError(warning)}\n`,
      );
    }
  }

  /** Tells of a fault that ends nothing. */
  note(error: unknown): void {
    const { terminal } = this;
    const [first = "", ...rest] = wrapText(
      `haft: ${terminal.foreignError(getErrorMessage(error))}`,
      terminal.errorWidth,
    );
    const label = terminal.paintError("yellow", "haft:");
    terminal.err(`${[first.replace(/^haft:/, label), ...rest].join("\n")}\n`);
  }

  async close(): Promise<void> {
    for (const app of this.#opened.splice(0)) await app.close();
  }
}
