import { HostError } from "../errors.ts";
import type { Enclosed, EncloseRequest, Encloser } from "./enclosing.ts";
import { GitWatch } from "./git/git-watch.ts";
import { Cgroups } from "./linux/cgroups.ts";
import { type SandboxLimits, withDefaults } from "./linux/limits.ts";
import { CoverFiles } from "./mounts/cover-files.ts";
import { TemporaryFolders } from "./mounts/temporary-folders.ts";
import { writableFolders } from "./mounts/view.ts";
import { UserPool } from "./other-user.ts";
import { canonicalPlace, kindAt } from "./places.ts";
import { ProofFile } from "./proof-file.ts";
import type { Proven } from "./prove.ts";
import { holds, keepsPromises, type SandboxLevel, type SandboxReport, sandboxLevels } from "./report.ts";
import { SessionFolders } from "./seatbelt/seatbelt.ts";
import { enclose, type Means } from "./walls.ts";

/** What commands are kept in by, and what they may not see or change. */
export interface SandboxOptions {
  /** The weakest level at which commands may run. @default "other-user" */
  readonly atLeast?: SandboxLevel;
  readonly limits?: Partial<SandboxLimits>;
  /** Absolute paths of which nothing inside may know: haft's own folder, the store. @default none */
  readonly hidden?: readonly string[];
  /** Absolute paths that nothing inside may write, also if they do not exist yet. @default none */
  readonly protected?: readonly string[];
  /**
   * Absolute paths that nothing inside may change where something is there. Where nothing is, a command may make them,
   * which is told with its result: they must count for nothing until a person has accepted them. @default none
   */
  readonly guarded?: readonly string[];
  /** The levels to try. @default all */
  readonly levels?: readonly SandboxLevel[];
  /** The bubblewrap program. @default "bwrap", looked for on the PATH */
  readonly bubblewrap?: string;
  /** The file that keeps, for the next start, the proof that bubblewrap holds: an absolute path, among what is hidden. @default not kept */
  readonly proofFile?: string;
}

/**
 * Confines processes at the strongest level that works on this machine. The level is probed at the first use.
 *
 * @example
 * ```ts
 * const sandbox = new Sandbox({ atLeast: "process-group", hidden: [process.cwd()] });
 * const { level, sufficient } = await sandbox.report();
 * await sandbox.close();
 * sandboxLevels.includes(level); // → true
 * sufficient; // → true
 * ```
 */
export class Sandbox implements Encloser {
  readonly #options: SandboxOptions;
  readonly #limits: SandboxLimits;
  readonly #levels: readonly SandboxLevel[];
  #proven: Promise<Proven> | undefined;
  #means: Means | undefined;
  readonly #watch: GitWatch;

  constructor(options: SandboxOptions = {}) {
    this.#options = options;
    this.#limits = withDefaults(options.limits ?? {});
    this.#levels = options.levels ?? sandboxLevels;
    this.#watch = new GitWatch((options.hidden ?? []).map(canonicalPlace));
  }

  /** What holds here. The canaries run once; takes some 100 ms then. */
  async report(): Promise<SandboxReport> {
    const { level, limits, detail, remedy } = await this.#prove();
    const sufficient = holds(level, this.#options.atLeast ?? "other-user");
    return { level, sufficient, limits, detail, ...(remedy !== undefined && { remedy }) };
  }

  /**
   * The same report, where commands may run.
   * @throws {HostError} SANDBOX_REFUSED
   */
  async require(): Promise<SandboxReport> {
    const report = await this.report();
    if (report.sufficient) return report;
    const { level, detail, remedy } = report;
    const wanted = this.#options.atLeast ?? "other-user";
    throw new HostError(
      "SANDBOX_REFUSED",
      `Cannot run commands: the strongest isolation here is "${level}", and "${wanted}" is asked for (${detail}); ${remedy ?? "run haft on Linux with bubblewrap"}, or accept less by "sandbox: { atLeast: ${level} }" in the configuration`,
      { details: { level, atLeast: wanted } },
    );
  }

  /**
   * What to start instead of a process, so that it is kept in.
   *
   * @throws {HostError} SANDBOX_REFUSED; PROCESS_NOT_FOUND, PROCESS_NOT_EXECUTABLE
   */
  async enclose(request: EncloseRequest): Promise<Enclosed> {
    await this.require();
    const { walls } = await this.#prove();
    const { promises = [] } = request;
    const guard = this.#guard();
    if (!keepsPromises(walls.level, promises)) {
      throw new HostError(
        "SANDBOX_REFUSED",
        `Cannot run "${request.file}": it was decided for a sandbox (${promises.join(", ")}), and the isolation here is only "${walls.level}" now; make the call again, for a decision on that`,
        { details: { level: walls.level, promises } },
      );
    }
    if (!keepsPromises(walls.level)) return enclose(walls, guard.means, request);
    const end = this.#watch.begin(writableFolders(request.bounds).filter((path) => path !== "/"));
    try {
      return withFindings(this.#heeding(await enclose(walls, guard.means, request)), {
        end,
        findings: () => [...this.#watch.takeFindings(), ...guard.findings()],
      });
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Whether a path below a temporary folder is the session's own, neither the machine's nor by a link that a command made. */
  isOwnTemporary(session: string, path: string): boolean {
    return this.#means?.temporary.isOwn(session, path) ?? false;
  }

  /** What protects the guarded paths that are there, and tells of those that are there only afterwards. */
  #guard(): { readonly means: Means; readonly findings: () => string[] } {
    const means = this.#open();
    const isThere = (path: string) => kindAt(path) !== "nothing";
    const guarded = this.#options.guarded ?? [];
    const absent = guarded.filter((path) => !isThere(path));
    return {
      means: { ...means, protected: [...means.protected, ...guarded.filter(isThere)] },
      findings: () =>
        absent
          .filter(isThere)
          .map((path) => `"${path}" is new: it counts for nothing until its owner accepts it`),
    };
  }

  /** Has a level proven anew if it was proven and fails. */
  #heeding(enclosed: Enclosed): Enclosed {
    const { notBegun } = enclosed;
    if (notBegun === undefined) return enclosed;
    return {
      ...enclosed,
      notBegun: (said) => {
        this.#proven = undefined;
        this.#proofFile()?.remove();
        return notBegun(said);
      },
    };
  }

  /** Removes what it made on the machine. Nothing can be enclosed any more. */
  async close(): Promise<void> {
    await this.#proven?.catch(() => {});
    this.#watch.close();
    const means = this.#means;
    if (means === undefined) return;
    means.covers.remove();
    means.temporary.remove();
    means.sessionFolders.remove();
    await means.cgroups.close();
  }

  #prove(): Promise<Proven> {
    this.#proven ??= this.#runCanaries().catch((error: unknown) => {
      // A fault of the moment, such as a full disk: the next call tries anew.
      this.#proven = undefined;
      throw error;
    });
    return this.#proven;
  }

  async #runCanaries(): Promise<Proven> {
    const file = this.#proofFile();
    const kept = file?.read();
    if (kept !== undefined) return kept;
    const { prove } = await import("./prove.ts");
    const proven = await prove({ levels: this.#levels, bubblewrap: this.#bubblewrap, means: this.#open() });
    file?.write(proven);
    return proven;
  }

  get #bubblewrap(): string {
    return this.#options.bubblewrap ?? "bwrap";
  }

  #proofFile(): ProofFile | undefined {
    const path = this.#options.proofFile;
    if (path === undefined) return undefined;
    const { cgroups } = this.#open();
    return new ProofFile(path, {
      levels: this.#levels,
      bubblewrap: this.#bubblewrap,
      cgroups: cgroups.features,
    });
  }

  #open(): Means {
    if (this.#means !== undefined) return this.#means;
    this.#means = {
      limits: this.#limits,
      covers: new CoverFiles(),
      temporary: new TemporaryFolders(this.#limits.temporaryBytes),
      sessionFolders: new SessionFolders(),
      cgroups: new Cgroups(),
      users: new UserPool(),
      hidden: this.#options.hidden ?? [],
      protected: this.#options.protected ?? [],
    };
    return this.#means;
  }
}

/** What was found is told with the command's result, or, if that was stopped, with the next one's. */
function withFindings(
  enclosed: Enclosed,
  { end, findings }: { readonly end: () => void; readonly findings: () => readonly string[] },
): Enclosed {
  return {
    ...enclosed,
    findings() {
      end();
      return [...(enclosed.findings?.() ?? []), ...findings()];
    },
    release() {
      end();
      enclosed.release();
    },
  };
}
