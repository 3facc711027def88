import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Processes, Sandbox } from "../src/host/index.ts";
import { CoverFiles } from "../src/host/sandbox/mounts/cover-files.ts";
import { planView } from "../src/host/sandbox/mounts/view.ts";
import { countFileCalls } from "./support/count-file-calls.ts";
import { needs } from "./support/needs.ts";
import { levelsHere } from "./support/sandbox-levels.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-counts-")));
afterAll(() => rmSync(base, { recursive: true, maxRetries: 20 }));
const hasBubblewrap = (await levelsHere()).includes("bubblewrap");

describe("A command in bubblewrap", needs("bubblewrap", hasBubblewrap), () => {
  test.for([
    // The first process, the supervisor, and bash.
    ["without hosts", [], 3],
    // The bridge too, which is more than one where Node is it.
    ...(existsSync("/usr/bin/perl") ? [["with hosts", ["example.com"], 4] as const] : []),
  ] as const)("is no more processes than it needs, %s", async ([, hosts, expected]) => {
    await using processes = new Processes({ sandbox: new Sandbox({ levels: ["bubblewrap"] }) });
    // The number given last in its namespace, which is where numbers begin.
    const { stdout } = await processes.runShell("read -r _ _ _ _ newest </proc/loadavg; echo $newest", {
      cwd: base,
      environment: { PATH: "/usr/bin:/bin" },
      signal: AbortSignal.timeout(50_000),
      bounds: { writable: [base], hosts, allowedHosts: [] },
    });
    expect(Number(stdout.text)).toBe(expected);
  });
});

describe("A command that a waiting shell becomes", needs("bubblewrap", hasBubblewrap), () => {
  test("has the arguments, variables and folder of every other, and so has one that no shell can become", async () => {
    const processes = new Processes({ sandbox: new Sandbox({ levels: ["bubblewrap"] }) });
    const folder = join(base, "a folder's `name`");
    mkdirSync(folder);
    const run = async (word: string, more: Record<string, string> = {}) => {
      const { stdout } = await processes.run(
        ["/bin/sh", "-c", 'printf "%s|" "$1" "$VALUE" "$(pwd)"; env', "sh", word],
        {
          cwd: folder,
          environment: { PATH: "/usr/bin:/bin", VALUE: word, ...more },
          signal: AbortSignal.timeout(50_000),
          bounds: { writable: [folder] },
        },
      );
      const [argument, value, cwd, environment = ""] = stdout.text.split("|");
      const names = environment.split("\n").flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
      return { argument, value, cwd, names: names.sort() };
    };
    const first = await run("first");
    expect(first).toMatchObject({ argument: "first", value: "first", cwd: folder });
    const odd = 'it\'s "$HOME" `id` \\ \n*\t!#';
    for (const word of ["second", odd, "-n", "ü".repeat(60_000)])
      expect(await run(word)).toEqual({ ...first, argument: word, value: word });
    expect(await run("own", { OPTIND: "7" })).toMatchObject({ argument: "own" });
    await expect(run("nul\0")).rejects.toMatchObject({ code: "PROCESS_ARGUMENTS" });
    expect(await run("last")).toEqual({ ...first, argument: "last", value: "last" });
    const waiting = () => listProcesses().filter((line) => line.includes(`haft-${process.pid}-`));
    await processes.close();
    expect(waiting()).toEqual([]);
  });
});

/** The command lines of all processes. */
function listProcesses(): string[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8");
    } catch {
      return [];
    }
  });
}

describe("The plan of what a command sees", needs("linux", process.platform === "linux"), () => {
  test("looks at each folder of programs, and at where their links lead, once", async () => {
    const home = join(base, "home");
    const [work, bin, tool] = ["work", "tools/bin", "tools/lib"].map((name) => join(home, name));
    for (const folder of [work, bin, tool]) mkdirSync(folder as string, { recursive: true });
    writeFileSync(join(tool as string, "tool"), "");
    for (let at = 0; at < 40; at++) symlinkSync("../lib/tool", join(bin as string, `name${at}`));
    const covers = new CoverFiles();
    const options = {
      bounds: { writable: [work as string] },
      cwd: work as string,
      environment: { HOME: home, PATH: `${bin}:/usr/bin:/bin:${bin}` },
      hidden: [],
      protected: [],
      covers,
    };
    planView(options).release();
    const calls = await countFileCalls(() => planView(options).release());
    covers.remove();
    const below = (paths: readonly unknown[] = []) =>
      paths.map(String).filter((path) => path.startsWith(`${home}/tools`));
    expect(below(calls.get("readdirSync"))).toEqual(Array.from(new Set(below(calls.get("readdirSync")))));
    const asked = Object.values(Object.groupBy(below(calls.get("existsSync")), (path) => path));
    expect(Math.max(...asked.map((each) => each?.length ?? 0))).toBeLessThanOrEqual(3);
  });
});
