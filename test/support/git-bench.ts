import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  Environment,
  Processes,
  type ProcessesOptions,
  type SandboxReport,
  Snapshots,
  secretFileRules,
} from "../../src/host/index.ts";
import {
  defaultRules,
  type Effect,
  PermissionPolicy,
  type Tool,
  type ToolContext,
} from "../../src/kernel/index.ts";
import { CommandJournal } from "../../src/modules/files/undo/command-journal.ts";
import { shellTools } from "../../src/modules/shell/index.ts";
import { changedRepository, keepingObjects } from "../../src/modules/shell/undoable-git.ts";
import { FileBench } from "./files.ts";

/** A real repository with everything in it that a command of git may lose, and a gate that judges as in a sandbox. */
export class GitBench extends FileBench {
  readonly journal: CommandJournal;
  readonly bash: Tool;
  readonly processes: Processes;

  /** @param sandbox runs the commands of `bash`; without one they are only judged, as they would be in a sandbox */
  constructor(sandbox: ProcessesOptions["sandbox"] = judgedOnly) {
    super({ snapshots: true });
    const { workspace, artifacts, changes } = this;
    const snapshots = new Snapshots({ folder: join(this.folder, "snapshots") });
    this.journal = new CommandJournal({ workspace, artifacts, changes, snapshots });
    this.processes = new Processes({ ...(sandbox && { sandbox }) });
    const { processes } = this;
    const environment = new Environment({ variables: { PATH: "/usr/local/bin:/usr/bin:/bin" } });
    [this.bash] = shellTools({ processes, workspace, environment, undo: this.journal }) as [Tool];
    this.#plant();
  }

  git(...args: readonly string[]): string {
    return this.gitWith({}, ...args);
  }

  gitWith(variables: Readonly<Record<string, string>>, ...args: readonly string[]): string {
    const given = ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args];
    const env = { ...process.env, ...variables };
    return execFileSync("git", given, { cwd: this.root, stdio: "pipe", env }).toString();
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  effectsOfLine(command: string, cwd: string = this.root): Promise<readonly Effect[]> {
    const context = { allowedPaths: [this.root] };
    return Promise.resolve(this.bash.effects?.({ command, cwd } as never, context) ?? []);
  }

  /** What the rules that are always there say of a line in a sandbox. */
  async decide(command: string, cwd?: string): Promise<string> {
    const effects = await this.effectsOfLine(command, cwd);
    return new PermissionPolicy([...defaultRules, ...secretFileRules]).decide({
      tool: this.bash,
      params: { command },
      effects,
      context: {},
      trust: "trusted",
    }).decision;
  }

  /** Starts to record what a line changes, as `bash` does. */
  async beginLine(callId: string, command: string): Promise<() => Promise<void>> {
    const context: ToolContext = { ...this.contextOf(callId), effects: await this.effectsOfLine(command) };
    const begun = await this.journal.begin(context, changedRepository(context, this.root));
    if (typeof begun === "string") throw new Error(begun);
    return begun;
  }

  /** Runs a line as `bash` does but for the sandbox; returns its exit code. */
  async run(callId: string, command: string): Promise<number> {
    const end = await this.beginLine(callId, command);
    const code = this.runPlain(command);
    await end();
    return code;
  }

  runPlain(command: string): number {
    const named = {
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b",
    };
    const env = keepingObjects({ PATH: process.env["PATH"] ?? "", HOME: this.folder, ...named });
    try {
      execFileSync("bash", ["-c", command], { cwd: this.root, env, stdio: "pipe" });
      return 0;
    } catch (error) {
      return (error as { status?: number }).status ?? -1;
    }
  }

  undo(callId: string, as = `undo-${callId}`): Promise<unknown> {
    return this.call("undo_changes", { call_id: callId }, { callId: as });
  }

  /** Everything that a person may miss: refs, reflogs, index, stashes, and each byte of the work tree. */
  state(): Record<string, unknown> {
    const logs = join(this.root, ".git/logs");
    const state = {
      head: readFileSync(this.path(".git/HEAD"), "utf8"),
      refs: this.git("for-each-ref"),
      reflogs: filesOf(logs),
      index: this.git("ls-files", "-s", "-v"),
      stashes: this.git("stash", "list"),
      files: filesOf(this.root),
    };
    return { ...state, status: this.git("status", "--porcelain=v2", "--branch", "--ignored") };
  }

  /** Marks a file as one that is to be added, which keeps git from stashing. */
  meanToAdd(): void {
    this.write("meant.txt", "only meant to be added\n");
    this.git("add", "-N", "meant.txt");
  }

  #plant(): void {
    this.git("init", "-q", "--template=", "-b", "main");
    this.write(".gitignore", "*.log\nbuild/\n");
    for (const name of ["src/app.ts", "src/util.ts", "gone.txt", "keep.txt"]) this.write(name, `${name} 1\n`);
    this.#commit("one");
    this.git("tag", "v1");
    this.write("src/app.ts", "src/app.ts 2\n");
    this.#commit("two");
    this.git("switch", "-q", "-c", "other");
    // Ignored on the other branches, where a file of this name is not git's.
    this.write("debug.log", "of other\n");
    this.write("deep/er/added.txt", "of other\n");
    this.write("src/util.ts", "of other\n");
    this.git("rm", "-q", "gone.txt");
    this.git("add", "-f", "debug.log");
    this.#commit("three");
    this.git("switch", "-q", "main");
    this.git("switch", "-q", "-c", "ahead");
    this.write("ahead.txt", "ahead\n");
    this.#commit("four");
    this.git("switch", "-q", "main");
    this.git("update-ref", "refs/remotes/origin/main", "main~1");
    this.git("pack-refs", "--all");
    this.write("src/util.ts", "stashed\n");
    this.write("noted.txt", "stashed and untracked\n");
    this.git("stash", "push", "-q", "-u");
    this.write("keep.txt", "changed, not staged\n");
    this.write("staged.txt", "staged\n");
    this.git("add", "staged.txt");
    this.write("staged.txt", "staged, then changed\n");
    this.write("untracked.txt", "untracked\n");
    this.write("debug.log", "ignored, and nowhere else\n");
    this.write("build/out.js", "ignored\n");
  }

  #commit(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", message);
  }
}

/** Nothing runs in it. */
const judgedOnly: ProcessesOptions["sandbox"] = {
  isOwnTemporary: () => true,
  enclose: () => Promise.reject(new Error("Nothing runs here")),
  require: async (): Promise<SandboxReport> => ({
    level: "unshare" as const,
    sufficient: true,
    limits: { memory: "none", processes: "none", fileSize: "none", temporary: "none" } as const,
    detail: "",
  }),
};

function filesOf(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (entry.isDirectory() || name.startsWith(".git/")) continue;
    const { mode } = lstatSync(path);
    files[name] =
      `${mode.toString(8)} ${entry.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, "latin1")}`;
  }
  return files;
}
