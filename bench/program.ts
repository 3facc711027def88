import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The program as a user has it: packed, unpacked, with its production dependencies and nothing else. */
export interface Program {
  /** What Node runs. */
  readonly file: string;
  /** The folder of its homes; it lives as long as the run. */
  readonly folder: string;
}

const variable = "HAFT_BENCH_PROGRAM";
const repository = fileURLToPath(new URL("..", import.meta.url));

/** Makes the program, unless the process that started this one has. It goes when this process ends. */
export function installProgram(): void {
  if (process.env[variable] !== undefined) return;
  const folder = mkdtempSync(join(tmpdir(), "haft-bench-program-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  process.stderr.write("packs and unpacks the program\n");
  const npm = (...args: string[]) => execFileSync("npm", args, { cwd: repository, encoding: "utf8" });
  const archive = npm("pack", "--silent", "--pack-destination", folder).trim().split("\n").at(-1) as string;
  const packages = join(folder, "node_modules");
  mkdirSync(packages);
  execFileSync("tar", ["xzf", join(folder, archive), "-C", folder]);
  cpSync(join(folder, "package"), join(packages, "haft"), { recursive: true });
  rmSync(join(folder, "package"), { recursive: true });
  for (const path of npm("ls", "--omit=dev", "--all", "--parseable").trim().split("\n").slice(1)) {
    const target = join(packages, relative(join(repository, "node_modules"), path));
    if (!existsSync(target)) cpSync(path, target, { recursive: true, dereference: true });
  }
  process.env[variable] = folder;
  if (spawnSync("bwrap", ["--version"]).status !== 0)
    process.stderr.write("bubblewrap is not on the PATH: commands are measured in a weaker sandbox\n");
}

/** For a subject of a comparison that is `isInstalled`. */
export function openProgram(): Program {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error("Cannot find the installed program: it was not made");
  return { file: join(folder, "node_modules/haft/bin/haft.js"), folder };
}

/** A module of the installed package, such as `haft/server/mcp`. */
export async function importInstalled<Module>(specifier: string): Promise<Module> {
  return (await import(createRequire(openProgram().file).resolve(specifier))) as Module;
}

export interface Home {
  readonly folder: string;
  /** The folder that the program works in: `--folder`. */
  readonly project: string;
  /** For the program's processes. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * A home of the program with a configuration: rules, a store on the disk, a secret that is taken out of results, and
 * the MCP servers that are given. It is kept for the run, so that only the first process finds it new, as on a
 * user's machine; `name` tells homes apart.
 */
export function openHome(name: string, mcpServers: object = {}): Home {
  const { file, folder: run } = openProgram();
  const folder = join(run, "homes", name);
  const project = join(folder, "project");
  const environment = {
    ...process.env,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`,
    HOME: folder,
    HAFT_HOME: join(folder, "haft"),
    XDG_STATE_HOME: folder,
    XDG_CONFIG_HOME: folder,
    NODE_COMPILE_CACHE: join(run, "compile-cache"),
  };
  if (existsSync(project)) return { folder, project, environment };
  mkdirSync(project, { recursive: true });
  mkdirSync(join(folder, "haft"));
  writeFileSync(join(project, "small.txt"), "A line of a small file.\n".repeat(20));
  const allowed = ["read", "glob", "grep", "bash", "memory_*", "current_time"];
  const config = {
    permissions: [
      { decision: "deny", effect: "write", target: "**/*.lock" },
      ...allowed.map((tool) => ({ decision: "allow", tool })),
      ...Object.keys(mcpServers).map((server) => ({ decision: "allow", origin: `mcp:${server}` })),
    ],
    store: { durability: "normal" },
    mcpServers,
  };
  writeFileSync(join(folder, "haft", "config.yml"), JSON.stringify(config, undefined, 2));
  execFileSync(process.execPath, [file, "secret", "set", "BENCH_TOKEN"], {
    env: environment,
    cwd: project,
    input: "a-secret-of-the-bench-0123456789",
    stdio: ["pipe", "ignore", "inherit"],
  });
  return { folder, project, environment };
}
