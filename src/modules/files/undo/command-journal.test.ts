import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileBench } from "../../../../test/support/files.ts";
import { Snapshots, type SnapshotsOptions } from "../../../host/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import { CommandJournal } from "./command-journal.ts";

/** A folder whose commands are recorded; a command here is whatever a test does to the folder. */
class CommandBench extends FileBench {
  readonly journal: CommandJournal;

  constructor(options: Partial<SnapshotsOptions> = {}) {
    super({ snapshots: true });
    const { workspace, artifacts, changes } = this;
    const snapshots = new Snapshots({ ...options, folder: join(this.folder, "snapshots") });
    this.journal = new CommandJournal({ workspace, artifacts, changes, snapshots });
  }

  async begin(callId: string): Promise<() => Promise<void>> {
    const begun = await this.journal.begin(this.toContext(callId));
    if (typeof begun === "string") throw new Error(begun);
    return begun;
  }

  async command(callId: string, run: () => void): Promise<void> {
    const end = await this.begin(callId);
    run();
    await end();
  }

  undo(callId: string): Promise<unknown> {
    return this.call("undo_changes", { call_id: callId }, { callId: `undo-${callId}` });
  }
}

test("a command's changes are put back: content, permissions, links, deleted and made files, and that undo is undone in turn", async () => {
  using bench = new CommandBench();
  mkdirSync(bench.path("src"));
  writeFileSync(bench.path("src/a.ts"), "a\r\n");
  writeFileSync(bench.path(".env"), "SECRET=1\n");
  chmodSync(bench.path(".env"), 0o600);
  writeFileSync(bench.path("run.sh"), "#!/bin/sh\n");
  chmodSync(bench.path("run.sh"), 0o755);
  symlinkSync("src/a.ts", bench.path("link"));
  writeFileSync(bench.path(".gitignore"), ".env\n*.log\n");
  writeFileSync(bench.path(".gitattributes"), "* text eol=lf filter=evil\n");
  writeFileSync(bench.path("debug.log"), "ignored by git, not by haft\n");
  await bench.command("c1", () => {
    writeFileSync(bench.path("src/a.ts"), "changed");
    rmSync(bench.path(".env"));
    rmSync(bench.path("link"));
    rmSync(bench.path("debug.log"));
    symlinkSync("elsewhere", bench.path("link"));
    chmodSync(bench.path("run.sh"), 0o644);
    mkdirSync(bench.path("made/deep"), { recursive: true });
    writeFileSync(bench.path("made/deep/new"), "new");
  });
  await bench.undo("c1");
  expect(readFileSync(bench.path("src/a.ts"), "utf8")).toBe("a\r\n");
  expect(readFileSync(bench.path(".env"), "utf8")).toBe("SECRET=1\n");
  expect(statSync(bench.path(".env")).mode & 0o777).toBe(0o600);
  expect(readFileSync(bench.path("debug.log"), "utf8")).toContain("ignored by git");
  expect(readlinkSync(bench.path("link"))).toBe("src/a.ts");
  expect(statSync(bench.path("run.sh")).mode & 0o777).toBe(0o755);
  expect(existsSync(bench.path("made"))).toBe(false);
  await bench.undo("undo-c1");
  expect(readFileSync(bench.path("src/a.ts"), "utf8")).toBe("changed");
  expect(existsSync(bench.path(".env"))).toBe(false);
  expect(readFileSync(bench.path("made/deep/new"), "utf8")).toBe("new");
});

test("of a command that changes nothing no change is kept, so it does not look as if it were undone", async () => {
  using bench = new CommandBench();
  writeFileSync(bench.path("a"), "1");
  await bench.command("c1", () => undefined);
  await bench.command("c2", () => writeFileSync(bench.path("a"), "2"));
  expect(new Set(bench.changes.recorded.map(({ callId }) => callId))).toEqual(new Set(["c2"]));
  expect([...bench.changes.undone]).toEqual([]);
});

test("undoing a command restores nothing where a file has changed since, and names it", async () => {
  using bench = new CommandBench();
  writeFileSync(bench.path("a"), "1");
  writeFileSync(bench.path("b"), "1");
  await bench.command("c1", () => {
    writeFileSync(bench.path("a"), "2");
    rmSync(bench.path("b"));
  });
  writeFileSync(bench.path("a"), "3");
  await expect(bench.undo("c1")).rejects.toMatchObject({
    code: "UNDO_CONFLICT",
    message: `Cannot undo call "c1": "${bench.path("a")}" has changed since; nothing was restored, change the rest by hand`,
  });
  expect(existsSync(bench.path("b"))).toBe(false);
});

test("a file that became a folder, and a folder that became a file, are put back", async () => {
  using bench = new CommandBench();
  writeFileSync(bench.path("file"), "file");
  mkdirSync(bench.path("folder"));
  writeFileSync(bench.path("folder/inner"), "inner");
  await bench.command("c1", () => {
    rmSync(bench.path("file"));
    mkdirSync(bench.path("file"));
    writeFileSync(bench.path("file/inner"), "x");
    rmSync(bench.path("folder"), { recursive: true });
    writeFileSync(bench.path("folder"), "now a file");
  });
  await bench.undo("c1");
  expect(readFileSync(bench.path("file"), "utf8")).toBe("file");
  expect(readFileSync(bench.path("folder/inner"), "utf8")).toBe("inner");
});

test("a command that changed nothing leaves nothing to undo", async () => {
  using bench = new CommandBench();
  writeFileSync(bench.path("a"), "1");
  await bench.command("c1", () => {});
  await expect(bench.undo("c1")).rejects.toMatchObject({ code: "UNDO_UNKNOWN" });
});

test("what a command had changed when its process was killed is put back by what was recorded before it ran", async () => {
  using bench = new CommandBench();
  writeFileSync(bench.path("a"), "1");
  await bench.begin("c1");
  writeFileSync(bench.path("a"), "2");
  writeFileSync(bench.path("b"), "2");
  await bench.undo("c1");
  expect(readFileSync(bench.path("a"), "utf8")).toBe("1");
  expect(existsSync(bench.path("b"))).toBe(false);
});

test("of two allowed folders undo leaves alone the one that its command did not change", async () => {
  using bench = new CommandBench();
  const second = join(bench.folder, "second");
  mkdirSync(second);
  writeFileSync(bench.path("a"), "1");
  writeFileSync(join(second, "b"), "1");
  const both = { allowedPaths: [bench.root, second] };
  const end = await bench.journal.begin({ ...bench.toContext("c1"), ...both });
  writeFileSync(bench.path("a"), "2");
  await (end as () => Promise<void>)();
  writeFileSync(join(second, "b"), "changed since, by somebody else");
  await bench.call("undo_changes", { call_id: "c1" }, { callId: "undo-c1", ...both });
  expect(readFileSync(bench.path("a"), "utf8")).toBe("1");
  expect(readFileSync(join(second, "b"), "utf8")).toBe("changed since, by somebody else");
});

test("undo says which commands ran at the same time, since their changes can't be told apart", async () => {
  using bench = new CommandBench();
  const endFirst = await bench.begin("c1");
  await bench.command("c2", () => writeFileSync(bench.path("b"), "2"));
  writeFileSync(bench.path("a"), "1");
  await endFirst();
  expect(await bench.undo("c1")).toEqual({
    restored: expect.arrayContaining([bench.path("a"), bench.path("b")]),
    alongside: ["c2"],
  });
});

test("undoing a script undoes what its calls did, files and commands, the last first", async () => {
  using bench = new CommandBench();
  writeFileSync(bench.path("a"), "1");
  const outer = { outerCallId: "script" };
  await bench.call("write_file", { path: "a", content: "2" }, { callId: "w1", ...outer });
  const end = await bench.journal.begin({ ...bench.toContext("b1"), ...outer });
  writeFileSync(bench.path("a"), "3");
  await (end as () => Promise<void>)();
  await bench.call("write_file", { path: "a", content: "4" }, { callId: "w2", ...outer });
  await bench.undo("script");
  expect(readFileSync(bench.path("a"), "utf8")).toBe("1");
});

test("a folder with too many files or bytes has no snapshot, and it says so", async () => {
  using few = new CommandBench({ maxFiles: 3 });
  for (const name of ["a", "b", "c"]) writeFileSync(few.path(name), "1");
  mkdirSync(few.path("node_modules"));
  for (const name of ["d", "e"]) writeFileSync(few.path("node_modules", name), "1");
  expect(few.journal.objection({ allowedPaths: [few.root] })).toBeUndefined();
  using small = new CommandBench({ maxBytes: 10 });
  writeFileSync(small.path("a"), "12345678901");
  expect(small.journal.objection({ allowedPaths: [small.root] })).toContain("too much for a snapshot");
  expect(await small.journal.begin(small.toContext("c1"))).toContain("too much for a snapshot");
});

test("a folder with a file whose name is no text has no snapshot, and it says so, whenever the file came", async () => {
  const odd = Buffer.from([0x62, 0xff, 0x2e, 0x74]);
  const pathIn = (bench: CommandBench) => Buffer.concat([Buffer.from(`${bench.root}/`), odd]);
  using late = new CommandBench();
  await late.command("c1", () => writeFileSync(late.path("a.txt"), "a"));
  writeFileSync(pathIn(late), "mine");
  expect(await late.journal.begin(late.toContext("c2"))).toMatch(/b\uFFFD\.t.*whose name is no text/);
  using early = new CommandBench();
  writeFileSync(pathIn(early), "mine");
  expect(early.journal.objection(early.toContext("c1"))).toMatch(/b\uFFFD\.t.*whose name is no text/);
});

test("snapshots leave derived folders and the project's own .git out", async () => {
  using bench = new CommandBench();
  for (const folder of ["node_modules/x", "pkg/node_modules/y", ".git"]) {
    mkdirSync(bench.path(folder), { recursive: true });
    writeFileSync(bench.path(folder, "file"), "1");
  }
  await bench.command("c1", () => {
    for (const folder of ["node_modules/x", "pkg/node_modules/y", ".git"])
      writeFileSync(bench.path(folder, "file"), "2");
  });
  await expect(bench.undo("c1")).rejects.toMatchObject({ code: "UNDO_UNKNOWN" });
});

test("a repository below the folder starts no program, whatever its configuration says", async () => {
  using bench = new CommandBench();
  writeFileSync(bench.path("a"), "1");
  const planted = bench.path("planted");
  const spawnGit = async (...args: string[]) => {
    const { execFileSync } = await import("node:child_process");
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: planted });
  };
  mkdirSync(planted);
  writeFileSync(join(planted, "file"), "1");
  await spawnGit("init", "-q");
  await spawnGit("add", "file");
  await spawnGit("commit", "-q", "-m", "one");
  const witness = bench.path("witness");
  await spawnGit("config", "core.fsmonitor", `touch ${witness}; false`);
  for (const callId of ["c1", "c2", "c3"])
    await bench.command(callId, () => writeFileSync(join(planted, "file"), callId));
  rmSync(bench.path("a"));
  mkdirSync(bench.path("a"));
  await bench.command("c4", () => {});
  expect(existsSync(witness)).toBe(false);
  expect(lstatSync(bench.path("a")).isDirectory()).toBe(true);
});

test("the shadow repository is its owner's alone, and takes no part of the project's configuration", async () => {
  using bench = new CommandBench();
  writeFileSync(bench.path("a"), "1");
  await bench.command("c1", () => writeFileSync(bench.path("a"), "2"));
  const all = join(bench.folder, "snapshots");
  const [name = ""] = readdirSync(all);
  expect(statSync(all).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(all, name, "config"), "utf8")).not.toContain("filter");
  expect(existsSync(join(all, name, "hooks"))).toBe(false);
});

test("only the first snapshot of a folder is taken outside the command's time, and the caller is told", async () => {
  using bench = new CommandBench();
  writeFileSync(bench.path("a"), "a");
  const told: unknown[] = [];
  const waits: unknown[] = [];
  const context = (callId: string): ToolContext => ({
    ...bench.toContext(callId),
    progress: (_progress, _total, message) => void told.push(message),
    async awaitPerson(ask) {
      const answer = await ask(new AbortController().signal);
      waits.push(answer);
      return answer;
    },
  });
  for (const callId of ["c1", "c2"]) {
    const end = await bench.journal.begin(context(callId));
    if (typeof end === "string") throw new Error(end);
    writeFileSync(bench.path("a"), callId);
    await end();
  }
  expect(told).toEqual([expect.stringContaining("for the first time")]);
  expect(waits).toMatchObject([{ folder: bench.root }]);
});

test("permissions that a command alone changed are put back, also those that git does not record", async () => {
  using bench = new CommandBench();
  for (const [name, mode] of [
    ["secret", 0o600],
    ["plain", 0o640],
    ["other", 0o640],
  ] as const) {
    writeFileSync(bench.path(name), name);
    chmodSync(bench.path(name), mode);
  }
  await bench.command("c1", () => {
    chmodSync(bench.path("secret"), 0o644);
    chmodSync(bench.path("plain"), 0o645);
  });
  await bench.undo("c1");
  const modes = () => ["secret", "plain", "other"].map((name) => statSync(bench.path(name)).mode & 0o777);
  expect(modes()).toEqual([0o600, 0o640, 0o640]);
});

test("two programs that record one folder know of each other's permissions", async () => {
  using bench = new CommandBench();
  await bench.command("c1", () => writeFileSync(bench.path("a"), "1"));
  const { workspace, artifacts, changes } = bench;
  const snapshots = new Snapshots({ folder: join(bench.folder, "snapshots") });
  const other = new CommandJournal({ workspace, artifacts, changes, snapshots });
  writeFileSync(bench.path("secret"), "secret");
  chmodSync(bench.path("secret"), 0o600);
  const end = await other.begin(bench.toContext("c2"));
  if (typeof end === "string") throw new Error(end);
  await end();
  await bench.command("c3", () => rmSync(bench.path("secret")));
  await bench.undo("c3");
  expect(statSync(bench.path("secret")).mode & 0o777).toBe(0o600);
});

test("a folder that is left out no longer is recorded again", async () => {
  using bench = new CommandBench({ excluded: ["data"] });
  mkdirSync(bench.path("data"));
  writeFileSync(bench.path("data/a"), "1");
  await bench.command("c1", () => writeFileSync(bench.path("b"), "1"));
  const { workspace, artifacts, changes } = bench;
  const snapshots = new Snapshots({ folder: join(bench.folder, "snapshots") });
  const later = new CommandJournal({ workspace, artifacts, changes, snapshots });
  expect(later.covers(bench.path("data/a"), { allowedPaths: [bench.root] })).toBe(true);
  const end = await later.begin(bench.toContext("c2"));
  if (typeof end === "string") throw new Error(end);
  rmSync(bench.path("data/a"));
  await end();
  await bench.undo("c2");
  expect(readFileSync(bench.path("data/a"), "utf8")).toBe("1");
});
