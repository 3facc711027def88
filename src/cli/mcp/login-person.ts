import type { AuthorizationPlace, DeviceCode, LoginPerson } from "../../mcp/index.ts";
import { askYes } from "../asking/ask-yes.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";

export interface LoginPersonOptions {
  /** The name of the server. */
  readonly name: string;
  /** May be asked whether to open a browser here. */
  readonly browser: boolean;
}

/** Whoever is at the terminal, and logs in to a server. */
export class TerminalPerson implements LoginPerson {
  readonly #session: Session;
  readonly #options: LoginPersonOptions;

  constructor(session: Session, options: LoginPersonOptions) {
    this.#session = session;
    this.#options = options;
  }

  async showAuthorization({ url, redirectUri, signal }: AuthorizationPlace): Promise<void> {
    const { terminal } = this.#session;
    const { name, browser } = this.#options;
    terminal.err(`Log in to ${terminal.foreignError(name)} at ${url.host}:\n\n${url.href}\n\n`);
    const isOpen =
      browser && terminal.interactive && (await this.#mayOpen(signal)) && (await this.#open(url));
    terminal.err(
      `${isOpen ? "Waiting for your browser to come back." : "Waiting for a browser that opens this."}\n` +
        `If it runs on another machine, paste the address it ends at, which begins with ${redirectUri}\n`,
    );
  }

  async paste(signal: AbortSignal): Promise<string | undefined> {
    const { createInterface } = await import("node:readline");
    const input = this.#session.terminal.streams.stdin;
    const lines = createInterface({ input, terminal: false });
    const stop = () => lines.close();
    signal.addEventListener("abort", stop, { once: true });
    try {
      if (signal.aborted) return undefined;
      for await (const line of lines) if (line.trim() !== "") return line;
      return undefined;
    } finally {
      signal.removeEventListener("abort", stop);
      lines.close();
      (input as NodeJS.ReadStream).unref?.();
    }
  }

  showCode({ userCode, url, completeUrl }: DeviceCode): void {
    const { terminal } = this.#session;
    const short = completeUrl === undefined ? "" : `\nThis address has the code in it: ${completeUrl.href}`;
    terminal.err(
      `Log in to ${terminal.foreignError(this.#options.name)} on any device: open ${url.href} and type\n\n  ${userCode}\n${short}\nWaiting until you have\n`,
    );
  }

  async #mayOpen(signal: AbortSignal): Promise<boolean> {
    const { terminal } = this.#session;
    const answer = await askYes(terminal, "Open it in your browser?", { signal, first: true });
    if (answer !== undefined) return answer;
    if (signal.aborted) return false;
    throw new CliError("CLI_CANCELLED", "Stopped by Ctrl-C; nobody is logged in");
  }

  async #open(url: URL): Promise<boolean> {
    const { openInBrowser } = await import("../../host/index.ts");
    if (await openInBrowser(url)) return true;
    this.#session.terminal.err("There is no browser to open here\n");
    return false;
  }
}
