import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EncloseRequest, splitEnvironment } from "../enclosing.ts";
import { becoming, shell } from "../launcher.ts";
import { limitLines, type SandboxLimits } from "../linux/limits.ts";
import { writeProfile } from "./profile.ts";
import { planSeatbeltView } from "./view.ts";

/** Never looked for on the PATH. */
export const sandboxExec = "/usr/bin/sandbox-exec";

export interface SeatbeltOptions {
  readonly limits: SandboxLimits;
  readonly hidden: readonly string[];
  readonly protected: readonly string[];
  /** The folder that the command has for temporary files. */
  readonly temporary: string;
  /** The way to haft's proxy; undefined: no network. */
  readonly proxy: { readonly port: number; readonly variables: Readonly<Record<string, string>> } | undefined;
}

/** The command line by which macOS runs a command in a sandbox of its own, and its environment. */
export function wrapInSeatbelt(
  request: EncloseRequest,
  { limits, hidden, protected: kept, temporary, proxy }: SeatbeltOptions,
): Pick<EncloseRequest, "file" | "args" | "environment"> {
  const { file, args, environment } = request;
  const { text, parameters } = writeProfile(
    planSeatbeltView({ request, hidden, protected: kept, temporary, proxyPort: proxy?.port }),
  );
  const { outer, inner } = splitEnvironment({
    ...environment,
    TMPDIR: temporary,
    ...proxy?.variables,
  });
  const restored = Object.entries(inner).map(([name, value]) => `${name}=${value}`);
  return {
    file: shell,
    args: becoming(limitLines(limits, { countProcesses: false }), [
      sandboxExec,
      "-p",
      text,
      ...Object.entries(parameters).flatMap(([name, value]) => ["-D", `${name}=${value}`]),
      "--",
      ...(restored.length > 0 ? ["/usr/bin/env", ...restored] : []),
      file,
      ...args,
    ]),
    environment: outer,
  };
}

/** The folders for temporary files of sessions, and of single commands without one. They are gone with this program. */
export class SessionFolders {
  readonly #ofSessions = new Map<string, string>();
  readonly #all = new Set<string>();
  readonly #onExit = () => this.remove();

  /** Returns the folder, and what ends its use. */
  enter(session: string | undefined): { readonly folder: string; readonly leave: () => void } {
    const known = session === undefined ? undefined : this.#ofSessions.get(session);
    const folder = known ?? this.#make();
    if (session !== undefined) this.#ofSessions.set(session, folder);
    return { folder, leave: () => session === undefined && this.#remove(folder) };
  }

  remove(): void {
    process.off("exit", this.#onExit);
    for (const folder of this.#all) this.#remove(folder);
    this.#ofSessions.clear();
  }

  #make(): string {
    if (this.#all.size === 0) process.once("exit", this.#onExit);
    // Only this user may enter a folder made so.
    const folder = mkdtempSync(join(realpathSync(tmpdir()), "haft-tmp-"));
    this.#all.add(folder);
    return folder;
  }

  #remove(folder: string): void {
    this.#all.delete(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}
