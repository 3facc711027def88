import { execFileSync } from "node:child_process";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
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
    template ??= plant();
    cpSync(template, this.root, { recursive: true, preserveTimestamps: true });
    // The index holds the inodes of the files that it was made of.
    this.git("status");
  }

  git(...args: readonly string[]): string {
    return this.gitWith({}, ...args);
  }

  gitWith(variables: Readonly<Record<string, string>>, ...args: readonly string[]): string {
    return git(this.root, args, variables);
  }

  write(name: string, text: string): void {
    writeBelow(this.root, name, text);
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
    const context: ToolContext = { ...this.toContext(callId), effects: await this.effectsOfLine(command) };
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
      reflogs: listFiles(logs),
      index: this.git("ls-files", "-s", "-v"),
      stashes: this.git("stash", "list"),
      files: listFiles(this.root),
    };
    return { ...state, status: this.git("status", "--porcelain=v2", "--branch", "--ignored") };
  }

  /** Marks a file as one that is to be added, which keeps git from stashing. */
  meanToAdd(): void {
    this.write("meant.txt", "only meant to be added\n");
    this.git("add", "-N", "meant.txt");
  }
}

let template: string | undefined;
afterAll(() => {
  if (template !== undefined) rmSync(template, { recursive: true });
});

/** Makes the repository that each bench begins with a copy of. */
function plant(): string {
  const root = mkdtempSync(join(tmpdir(), "haft-git-"));
  const run = (...args: readonly string[]) => void git(root, args);
  const write = (name: string, text: string) => writeBelow(root, name, text);
  const commit = (message: string) => {
    run("add", "-A");
    run("commit", "-q", "-m", message);
  };
  run("init", "-q", "--template=", "-b", "main");
  write(".gitignore", "*.log\nbuild/\n");
  for (const name of ["src/app.ts", "src/util.ts", "gone.txt", "keep.txt"]) write(name, `${name} 1\n`);
  commit("one");
  run("tag", "v1");
  write("src/app.ts", "src/app.ts 2\n");
  commit("two");
  run("switch", "-q", "-c", "other");
  // Ignored on the other branches, where a file of this name is not git's.
  write("debug.log", "of other\n");
  write("deep/er/added.txt", "of other\n");
  write("src/util.ts", "of other\n");
  run("rm", "-q", "gone.txt");
  run("add", "-f", "debug.log");
  commit("three");
  run("switch", "-q", "main");
  run("switch", "-q", "-c", "ahead");
  write("ahead.txt", "ahead\n");
  commit("four");
  run("switch", "-q", "main");
  run("update-ref", "refs/remotes/origin/main", "main~1");
  run("pack-refs", "--all");
  write("src/util.ts", "stashed\n");
  write("noted.txt", "stashed and untracked\n");
  run("stash", "push", "-q", "-u");
  write("keep.txt", "changed, not staged\n");
  write("staged.txt", "staged\n");
  run("add", "staged.txt");
  write("staged.txt", "staged, then changed\n");
  write("untracked.txt", "untracked\n");
  write("debug.log", "ignored, and nowhere else\n");
  write("build/out.js", "ignored\n");
  return root;
}

function git(cwd: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}): string {
  const given = ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args];
  const env = { ...process.env, ...variables };
  return execFileSync("git", given, { cwd, stdio: "pipe", env }).toString();
}

function writeBelow(root: string, name: string, text: string): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
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

function listFiles(folder: string): Record<string, string> {
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
