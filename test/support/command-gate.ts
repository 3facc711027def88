import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import {
  Environment,
  Processes,
  ProgramSearch,
  Snapshots,
  secretFileRules,
  UndoFolder,
  Workspace,
} from "../../src/host/index.ts";
import {
  coversEffect,
  type Decision,
  defaultRules,
  type Effect,
  type EffectPattern,
  PermissionPolicy,
  type Rule,
  type Tool,
} from "../../src/kernel/index.ts";
import { commandUndo } from "../../src/modules/files/index.ts";
import { shellTools } from "../../src/modules/shell/index.ts";
import { MemoryArtifacts, MemoryChanges } from "./files.ts";

export interface CommandGate extends AsyncDisposable {
  /** The folder that the commands work in: `src/a.ts`, `notes.txt`, `secret/.env`, `way-out` to `outside`. */
  readonly folder: string;
  readonly outside: string;
  readonly bash: Tool;
  effects(command: string): Promise<readonly Effect[]>;
  /** The same as they would be in a sandbox. */
  confinedEffects(command: string): Promise<readonly Effect[]>;
  /** What the rules say of a command, beside those that are always there. Nothing runs. */
  decide(command: string, rules?: readonly Rule[]): Promise<Decision>;
  /** What they say of it where it would run in a sandbox. */
  decideConfined(command: string, rules?: readonly Rule[]): Promise<Decision>;
  /** Whether it would run in a sandbox unasked once the owner said yes to the project's own programs. */
  runsWithProjectYes(command: string): Promise<boolean>;
}

export interface CommandGateOptions {
  /** Puts more into the folder, before anything is decided. */
  readonly plant?: (folder: string) => void;
  /** Programs that a shell would find, beside those of this machine. None of them runs. */
  readonly programs?: readonly string[];
  /** With snapshots: what can be undone need not ask. @default false */
  readonly undo?: boolean;
}

const projectYes: EffectPattern = { kind: "run", target: "", reach: "project", confined: true };
const harmless: Effect = { kind: "run", target: "true", within: true };

/** The shell's tool over a real folder, and the rules that a user has without writing any. */
export function openCommandGate({
  plant,
  programs = [],
  undo = false,
}: CommandGateOptions = {}): CommandGate {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-commands-")));
  const [folder, outside] = [join(base, "work"), join(base, "outside")];
  for (const path of [join(folder, "src"), join(folder, "secret"), outside])
    mkdirSync(path, { recursive: true });
  for (const name of ["src/a.ts", "notes.txt", "secret/.env", "../outside/file"])
    writeFileSync(join(folder, name), "text\n");
  symlinkSync(outside, join(folder, "way-out"));
  mkdirSync(join(base, "programs"));
  for (const name of programs) writeFileSync(join(base, "programs", name), "", { mode: 0o755 });
  plant?.(folder);
  const processes = new Processes();
  // Nothing runs: it is only judged as in a sandbox.
  const confined = new Processes({
    sandbox: {
      isOwnTemporary: () => true,
      enclose: () => Promise.reject(new Error("Nothing runs here")),
      require: async () => ({
        level: "unshare",
        sufficient: true,
        limits: { memory: "none", processes: "none", fileSize: "none", temporary: "none" },
        detail: "",
      }),
    },
  });
  const workspace = new Workspace({ undo: new UndoFolder(join(base, "undo")) });
  // The tests themselves run with the programs of this project first.
  const { pathOfMachine } = new ProgramSearch({ path: process.env["PATH"] ?? "", writable: [] });
  const path = [join(base, "programs"), pathOfMachine].join(delimiter);
  const environment = new Environment({ variables: { ...process.env, PATH: path } });
  const record = commandUndo({
    workspace,
    artifacts: new MemoryArtifacts(),
    changes: new MemoryChanges(),
    snapshots: new Snapshots({ folder: join(base, "snapshots") }),
  });
  const open = (one: Processes) =>
    shellTools({ processes: one, workspace, environment, ...(undo && record && { undo: record }) }) as [Tool];
  const [[bash], [confinedBash]] = [open(processes), open(confined)];
  const context = { allowedPaths: [folder] };
  const effects = async (command: string) => {
    const found = (await bash.effects?.({ command } as never, context)) ?? [];
    return found.map(({ confined: _confined, ...effect }): Effect => effect);
  };
  const confinedEffects = async (command: string) =>
    (await confinedBash.effects?.({ command } as never, context)) ?? [];
  const judge = (command: string, found: readonly Effect[], rules: readonly Rule[]) =>
    new PermissionPolicy([...defaultRules, ...secretFileRules, ...rules]).decide({
      tool: bash,
      params: { command },
      effects: found,
      context: {},
      trust: "trusted",
    }).decision;
  return {
    folder,
    outside,
    bash,
    effects,
    confinedEffects,
    async decide(command, rules = []) {
      return judge(command, await effects(command), rules);
    },
    async decideConfined(command, rules = []) {
      return judge(command, await confinedEffects(command), rules);
    },
    async runsWithProjectYes(command) {
      const found = await confinedEffects(command);
      const left = found.filter((effect) => !coversEffect(projectYes, effect));
      return judge(command, left.length === 0 ? [harmless] : left, []) === "allow";
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([processes.close(), confined.close()]);
      rmSync(base, { recursive: true });
    },
  };
}
