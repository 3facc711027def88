import { spawn } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
  writevSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UndoFolder, Workspace } from "../src/host/index.ts";
import { ToolExecutor, ToolRegistry } from "../src/kernel/index.ts";
import { fileTools } from "../src/modules/files/index.ts";
import { type Figures, importPeer, median, runBench, type Subject } from "./harness.ts";

// What the file tools cost beside the bare work and other programs: node bench/files.ts [--rounds N] [--only TEXT]

const folder = join(tmpdir(), "haft-bench-files");
const tree = join(folder, "tree");
const text = join(folder, "text.txt");
const later = "ms, later";
const paths = ["src/modules/files", "src/host", "src/kernel"];
const lines = 1_100_000;
const middle = 550_000;
const wanted = `line ${600_000} `;
const rareLiteral = "file number 77777 ";
const commonLiteral = "export declare";

/** 100,000 files of about 9 KB, 29,000 of them *.ts, in 4,000 folders; one file of 50 MiB. */
function makeData(): void {
  if (existsSync(join(folder, "done"))) return;
  rmSync(folder, { recursive: true, force: true });
  const filler =
    "export declare function useThing(value: string): number; // some words to fill the file\n".repeat(200);
  const kinds = ["js", "json", "md", "map", "mjs", "cjs"];
  for (let at = 0, place = ""; at < 100_000; at++) {
    if (at % 25 === 0) {
      place = join(tree, `p${(at / 25) % 40}`, `m${Math.floor(at / 1000) % 10}`, `d${at / 25}`);
      mkdirSync(place, { recursive: true });
    }
    const kind = at % 100 < 29 ? "ts" : kinds[at % 6];
    const size = 2000 + ((at * 7919) % 14_000);
    const body = at % 9 === 0 ? filler : filler.replaceAll("declare", "xxxxxxx");
    writeFileSync(join(place, `file${at}.${kind}`), `// file number ${at} \n${body.slice(0, size)}`);
  }
  const file = openSync(text, "w");
  for (let at = 0; at < lines; at += 1000) {
    writeSync(
      file,
      Array.from({ length: 1000 }, (_, line) => `line ${at + line} `.padEnd(46, "lorem ipsum "))
        .join("\n")
        .concat("\n"),
    );
  }
  closeSync(file);
  writeFileSync(join(folder, "done"), "");
}

/** First call, the median of the later ones, and what the process held at most over what it held before. */
async function time(calls: number, work: () => unknown, prepare: () => void = () => {}): Promise<Figures> {
  const times: number[] = [];
  const idle = process.memoryUsage.rss();
  for (let call = 0; call < calls; call++) {
    prepare();
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  const [first = 0, ...others] = times;
  return {
    "ms, first call": first,
    [later]: median(others),
    "MiB over idle": process.resourceUsage().maxRSS / 1024 - idle / 1024 / 1024,
  };
}

/** The tools behind the whole gate, with undo kept; what the store would do is done in memory. */
function haft(): (name: string, params: unknown) => Promise<string> {
  const kept: Uint8Array[] = [];
  const registry = new ToolRegistry();
  const { coding } = fileTools({
    workspace: new Workspace({ undo: new UndoFolder(join(folder, "undo")) }),
    artifacts: {
      put: (artifact) => Promise.resolve({ id: String(kept.push(Buffer.from(artifact.data))), chars: 0 }),
      readText: () => Promise.resolve(undefined),
      readBytes: () => Promise.resolve(undefined),
    },
    changes: {
      record: () => Promise.resolve(),
      ofCall: () => Promise.resolve([]),
      markUndone: () => Promise.resolve(),
      forget: () => Promise.resolve(),
    },
  });
  registry.registerMany(coding);
  const executor = new ToolExecutor(registry, { maxOutputChars: 10_000_000 });
  return async (name, params) => {
    const result = await executor.execute(name, params, { allowedPaths: [folder] });
    if (!result.success) throw new Error(result.error);
    return result.text;
  };
}

const windows: readonly Subject[] = [
  {
    name: "haft: read",
    async measure() {
      const call = haft();
      let turn = 0;
      const before = () => {
        // A new file version each time: no line index to help.
        copyFileSync(text, join(folder, `copy-${++turn % 2}.txt`));
      };
      return time(
        5,
        () => call("read", { path: join(folder, `copy-${turn % 2}.txt`), offset: middle, limit: 2000 }),
        before,
      );
    },
  },
  {
    name: "haft: read, the next window of the same file",
    async measure() {
      const call = haft();
      await call("read", { path: text, offset: middle });
      return time(9, () => call("read", { path: text, offset: middle + 2000 }));
    },
  },
  {
    name: "peer: readFile and split",
    measure: () =>
      time(5, () =>
        readFileSync(text, "utf8")
          .split("\n")
          .slice(middle, middle + 2000)
          .join("\n"),
      ),
  },
  { name: "floor: readSync and indexOf in 256 KiB", measure: () => time(5, scanWindow) },
];

function scanWindow(): string {
  const buffer = Buffer.allocUnsafe(256 * 1024);
  const file = openSync(text, "r");
  const parts: Buffer[] = [];
  let seen = 0;
  for (let count = readSync(file, buffer); count > 0; count = readSync(file, buffer)) {
    let from = seen > middle ? 0 : -1;
    let end = count;
    for (let at = buffer.indexOf(10); at !== -1 && at < count; at = buffer.indexOf(10, at + 1)) {
      if (++seen === middle) from = at + 1;
      if (seen === middle + 2000) {
        end = at + 1;
        break;
      }
    }
    if (from >= 0) parts.push(Buffer.from(buffer.subarray(from, end)));
    if (seen >= middle + 2000) break;
  }
  closeSync(file);
  return Buffer.concat(parts).toString();
}

const target = join(folder, "edited.txt");
const restore = () => copyFileSync(text, target);

const edits: readonly Subject[] = [
  {
    name: "haft: edit, undo kept, hashed",
    async measure() {
      const call = haft();
      return time(
        7,
        () => call("edit", { path: target, old_string: wanted, new_string: "replaced " }),
        restore,
      );
    },
  },
  {
    name: "peer: string, indexOf twice, slices, writeFile, rename",
    measure: () =>
      time(
        7,
        () => {
          const content = readFileSync(target, "utf8");
          const at = content.indexOf(wanted);
          if (content.includes(wanted, at + 1)) throw new Error("twice");
          writeFileSync(
            `${target}.tmp`,
            `${content.slice(0, at)}replaced ${content.slice(at + wanted.length)}`,
          );
          renameSync(`${target}.tmp`, target);
        },
        restore,
      ),
  },
  {
    name: "floor: Buffer, indexOf twice, writev of 3 parts, rename",
    measure: () =>
      time(
        7,
        () => {
          const content = readFileSync(target);
          const at = content.indexOf(wanted);
          if (content.includes(wanted, at + 1)) throw new Error("twice");
          const file = openSync(`${target}.tmp`, "w");
          const rest = content.subarray(at + wanted.length);
          writevSync(file, [content.subarray(0, at), Buffer.from("replaced "), rest]);
          closeSync(file);
          renameSync(`${target}.tmp`, target);
        },
        restore,
      ),
  },
];

async function ripgrep(args: readonly string[], maxLines = Number.POSITIVE_INFINITY): Promise<number> {
  const { rgPath } = await import("@vscode/ripgrep");
  const child = spawn(rgPath, ["--no-config", "--hidden", "--no-require-git", ...args, "./"], {
    cwd: tree,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let count = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count++;
    if (count >= maxLines) child.kill("SIGKILL");
  });
  return new Promise((resolve) => child.on("close", () => resolve(count)));
}

function expectCount(count: number, expected: number): void {
  if (count < expected) throw new Error(`found ${count} of ${expected}`);
}

const globs: readonly Subject[] = [
  {
    name: "haft: Workspace.find, newest first",
    async measure() {
      const workspace = new Workspace({ undo: new UndoFolder(join(folder, "undo")) });
      const access = { allowedPaths: [tree], effects: [], signal: new AbortController().signal };
      const options = { pattern: "**/*.ts", limit: 100_000, gitignore: true, maxMs: 10_000 };
      return time(5, async () =>
        expectCount((await workspace.find(".", access, options)).files.length, 29_000),
      );
    },
  },
  {
    name: "haft: glob, the newest 10,000",
    async measure() {
      const call = haft();
      // The output limit cuts what is shown.
      return time(5, async () =>
        expectCount((await call("glob", { pattern: "**/*.ts", path: tree })).split("\n").length, 1000),
      );
    },
  },
  {
    name: "peer: tinyglobby, in no order",
    peer: "tinyglobby",
    async measure() {
      const { glob } = await importPeer<{ glob: (pattern: string, options: object) => Promise<string[]> }>(
        "tinyglobby",
      );
      return time(5, async () =>
        expectCount(
          (await glob("**/*.ts", { cwd: tree, dot: true, followSymbolicLinks: false })).length,
          29_000,
        ),
      );
    },
  },
  {
    name: "floor: ripgrep --files -g, in no order",
    measure: () => time(5, async () => expectCount(await ripgrep(["--files", "-g", "**/*.ts"]), 29_000)),
  },
];

function greps(literal: string, expected: number, limit?: number): readonly Subject[] {
  return [
    {
      name: "haft: grep",
      async measure() {
        const call = haft();
        // The output limit cuts what is shown of a thousand.
        return time(5, async () =>
          expectCount(
            (await call("grep", { pattern: literal, literal: true, path: tree })).split("\n").length,
            Math.min(expected, 500),
          ),
        );
      },
    },
    {
      name: limit === undefined ? "floor: ripgrep" : "floor: ripgrep, killed at the 1,000th line",
      measure: () => time(5, async () => expectCount(await ripgrep(["-n", "-F", literal], limit), expected)),
    },
  ];
}

makeData();
try {
  await runBench(import.meta.url, [
    {
      title: "2,000 lines from the middle of 50 MB",
      rows: [
        {
          what: "`read` of 2,000 lines from the middle of 50 MB",
          figure: later,
          ours: "haft: read",
          floor: "floor: readSync and indexOf in 256 KiB",
          peer: "peer: readFile and split",
          paths,
        },
      ],
      subjects: windows,
    },
    {
      title: "one edit in 50 MB, atomic, without fsync",
      rows: [
        {
          what: "`edit` in 50 MB",
          figure: later,
          ours: "haft: edit, undo kept, hashed",
          floor: "floor: Buffer, indexOf twice, writev of 3 parts, rename",
          peer: "peer: string, indexOf twice, slices, writeFile, rename",
          paths,
        },
      ],
      subjects: edits,
    },
    {
      title: "glob: 29,000 of 100,000 files",
      rows: [
        {
          what: "`glob` of 29,000 of 100,000 files, the newest first",
          figure: later,
          ours: "haft: glob, the newest 10,000",
          floor: "floor: ripgrep --files -g, in no order",
          peer: "peer: tinyglobby, in no order",
          reach: "≤ 1.5 × the peer",
          paths,
        },
      ],
      subjects: globs,
    },
    {
      title: "grep: one hit in 880 MB",
      rows: [
        { what: "`grep` over 880 MB", figure: later, ours: "haft: grep", floor: "floor: ripgrep", paths },
      ],
      subjects: greps(rareLiteral, 1),
    },
    {
      title: "grep: the first 1,000 of 1,100,000 hits",
      rows: [
        {
          what: "`grep`, the first 1,000 hits",
          figure: later,
          ours: "haft: grep",
          floor: "floor: ripgrep, killed at the 1,000th line",
          paths,
        },
      ],
      subjects: greps(commonLiteral, 1000, 1000),
    },
  ]);
} finally {
  if (!process.argv.includes("--measure")) rmSync(folder, { recursive: true, force: true });
}
