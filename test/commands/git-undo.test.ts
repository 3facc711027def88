import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { GitBench } from "../support/git-bench.ts";

/** Lines of git that need no question, since haft puts back all that they change. */
const undoable = [
  "git stash",
  "git stash push -m 'work so far'",
  "git stash push -q -k",
  "git stash -- keep.txt",
  "git stash push src/app.ts keep.txt",
  "git stash apply",
  "git stash apply -q stash@{0}",
  "git stash && git stash apply",
  "git switch ahead",
  "git switch -q ahead",
  "git switch -",
  "git switch --detach ahead",
  "git switch -c fresh v1x",
  "git checkout ahead",
  "git checkout v1",
  "git checkout -q origin/main",
  "git checkout -",
  "git checkout -b fresh ahead",
  "git stash && git switch other",
  "git stash -q && git checkout other && git status --short",
  "git stash; git switch other; git stash apply",
  "git stash && git switch ahead && git stash apply && git log --oneline -3",
  "git reset --soft HEAD~1",
  "git reset --soft v1",
  "git reset -q -- staged.txt",
  "git reset HEAD staged.txt keep.txt",
  "git merge --ff-only ahead",
  "git stash && git checkout ahead && git merge --ff-only main",
  "git switch -c fresh && git stash",
  "git rm -q src/util.ts",
  "git rm --cached keep.txt",
  "for b in ahead main; do git switch $b; done",
  "cd src && git stash",
  "git checkout -qbfresh",
  "git stash; git switch --create=fresh",
  "git stash; git switch -c frühling",
  `git rm -q --cached ${Array.from({ length: 70 }, (_, at) => `no${at}`).join(" ")}; git switch -c fresh`,
] as const;

describe("A line of git that is let pass changes nothing that undo does not put back", () => {
  test.for(undoable)("%s", async (line) => {
    using bench = new GitBench();
    bench.git("branch", "v1x", "v1");
    if (!line.includes("stash")) bench.meanToAdd();
    const before = bench.state();
    expect(await bench.decide(line)).toBe("allow");
    expect([0, 1]).toContain(await bench.run("c1", line));
    const after = bench.state();
    expect(after).not.toEqual(before);
    await bench.undo("c1");
    expect(bench.state()).toEqual(before);
    bench.git("fsck", "--no-dangling");
    await bench.undo("undo-c1", "redo-c1");
    expect(bench.state()).toEqual(after);
  });
});

test("Undo of a stash with conflicts works for who has git record conflicts", async () => {
  using bench = new GitBench();
  writeFileSync(join(bench.folder, ".gitconfig"), "[rerere]\n\tenabled = true\n");
  bench.write("src/util.ts", "in conflict with the stash\n");
  bench.git("commit", "-qm", "five", "src/util.ts");
  bench.git("stash", "-q");
  bench.git("stash", "drop", "-q");
  const before = bench.state();
  expect(await bench.decide("git stash apply")).toBe("allow");
  expect(await bench.run("c1", "git stash apply")).toBe(1);
  expect(bench.state()).not.toEqual(before);
  await bench.undo("c1");
  expect(bench.state()).toEqual(before);
});

const bench = new GitBench();
afterAll(() => bench[Symbol.dispose]());

describe("A line of git asks", () => {
  test.for([
    "git stash pop",
    "git stash drop",
    "git stash -u",
    "git stash --all",
    "git stash push -p",
    "git stash -- .",
    "git stash -- '*.ts'",
    "git stash apply stash@{7}",
    "git stash && git stash apply stash@{0}",
    "git stash > log.txt",
    "git stash && npm test",
    "git stash && git commit -qm x",
    "git fetch && git merge --ff-only origin/main",
    "git switch nothing",
    "git switch -f ahead",
    "git switch --discard-changes ahead",
    "git switch -C ahead main",
    "git switch -c fresh origin/main",
    "git switch --track origin/main",
    "git switch ahead && git switch -",
    "git switch ahead; git reset --soft HEAD~1",
    "git checkout nothing",
    "git checkout HEAD~1",
    "git checkout HEAD",
    "git checkout -f ahead",
    "git checkout -- keep.txt",
    "git checkout ahead ahead.txt",
    "git checkout ahead -- ahead.txt",
    "git checkout -B fresh",
    "git checkout --orphan fresh",
    "git checkout -m ahead",
    "git restore keep.txt",
    "git reset",
    "git reset HEAD",
    "git reset HEAD~1",
    "git reset v1 keep.txt",
    "git reset --hard",
    "git reset --keep v1",
    "git reset -- .",
    "git reset --soft ../x",
    "git merge ahead",
    "git merge --no-ff ahead",
    "git merge --ff-only",
    "git merge --ff-only -s ours ahead",
    "git merge --ff-only ahead other",
    "git rm -f keep.txt",
    "git rm -r src",
    "git rm -- '*'",
    "git rm .env",
    "git rm .",
    "git branch -d ahead",
    "git commit --amend --no-edit",
    "git -C src stash",
    "git -c core.fsmonitor=x stash",
    "GIT_INDEX_FILE=x git stash",
    'git switch "$(cat keep.txt)"',
    "git switch $BRANCH",
    "ls | xargs git switch",
    "f() { git stash; }; f",
  ])("%s", async (line) => {
    expect(await bench.decide(line)).toBe("ask");
  });
});

describe("Switching, stashing and the like ask where a snapshot would not hold all of it", () => {
  test.for<[string, string, string, (bench: GitBench) => void]>([
    [
      "the branch has a file in a folder that is left out",
      "git switch side",
      "snapshots leave out",
      (one) => side(one, "node_modules/a.js"),
    ],
    [
      "a pipe stands where the branch has a file",
      "git switch side",
      "is neither a file nor a link",
      (one) => {
        side(one, "events.log");
        execFileSync("mkfifo", [one.path("events.log")]);
      },
    ],
    ["the index has one", "git stash", "snapshots leave out", (one) => track(one, "target/kept.txt")],
    [
      "a folder of ignored files stands where the branch has a file",
      "git switch side",
      "a folder stands where",
      (one) => side(one, "build"),
    ],
    [
      "the branch has what git takes for a repository",
      "git switch side && git status",
      "may start programs",
      (one) => side(one, "sub/HEAD"),
    ],
    [
      "the branch has hooks",
      "git checkout side",
      "may start programs",
      (one) => side(one, ".githooks/post-checkout"),
    ],
    [
      "the branch has submodules",
      "git checkout side",
      "may start programs",
      (one) => side(one, ".gitmodules"),
    ],
    [
      "a repository stands where the branch has files",
      "git switch side",
      "is a repository of its own",
      (one) => {
        side(one, "lib/a.ts");
        one.write("lib/note", "");
        one.git("init", "-q", "lib");
      },
    ],
    [
      "the index has a repository",
      "git stash",
      "is a repository of its own",
      (one) =>
        one.git("update-index", "--add", "--cacheinfo", `160000,${one.git("rev-parse", "HEAD").trim()},lib`),
    ],
    [
      "the applied stash has a file in a folder that is left out",
      "git stash apply",
      "snapshots leave out",
      (one) => {
        one.write("node_modules/b.js", "b");
        one.git("stash", "-q", "-u");
      },
    ],
    [
      "a merge is not finished",
      "git stash",
      "has not finished",
      (one) => one.git("update-ref", "MERGE_HEAD", "other"),
    ],
    [
      "a rebase is not finished",
      "git stash",
      "has not finished",
      (one) => mkdirSync(one.path(".git/rebase-merge")),
    ],
    ["git records conflicts", "git stash", "rr-cache", (one) => mkdirSync(one.path(".git/rr-cache"))],
    [
      "the index is split",
      "git stash",
      "of a kind that is not read",
      (one) => one.git("update-index", "--split-index"),
    ],
    ["objects are replaced", "git stash", "refs/replace", (one) => one.git("replace", "main~1", "other")],
    [
      "a name has two meanings",
      "git checkout ahead",
      "several meanings",
      (one) => one.git("tag", "ahead", "v1"),
    ],
    ["a hook would run", "git merge --ff-only ahead", "", (one) => one.write(".git/hooks/post-merge", "")],
    ["a hook would run before", "git stash", "", (one) => one.write(".git/hooks/pre-auto-gc", "")],
    ["a watcher of files would run", "git stash", "", (one) => one.git("config", "core.fsmonitor", "x")],
    ["a filter would run", "git switch ahead", "", (one) => one.git("config", "filter.x.smudge", "x")],
    [
      "refs are links",
      "git switch link",
      "of a kind that is not read",
      (one) => one.git("symbolic-ref", "refs/heads/link", "refs/heads/ahead"),
    ],
    [
      "HEAD has no commit",
      "git stash",
      "no commit yet",
      (one) => one.git("symbolic-ref", "HEAD", "refs/heads/none"),
    ],
  ])("%s: %s", async ([, line, reason, change]) => {
    using own = new GitBench();
    const isThere = line.endsWith("link") || line.includes("side");
    if (!isThere) expect(await own.decide(line)).toBe("allow");
    change(own);
    expect(await own.decide(line)).toBe("ask");
    const asks = (await own.effectsOfLine(line)).map((effect) => effect.asks ?? "").join();
    expect(asks).toContain(reason === "" ? "git" : `it could not be undone: `);
    expect(asks).toContain(reason);
  });

  test("but not for a branch that only has more files", async () => {
    using own = new GitBench();
    side(own, "more/files.txt");
    expect(await own.decide("git switch side && git status")).toBe("allow");
  });

  test("it is a linked work tree, or not all of the repository is allowed", async () => {
    using own = new GitBench();
    own.git("worktree", "add", "-q", "linked", "ahead");
    expect(await own.decide("git stash", own.path("linked"))).toBe("ask");
    expect(await own.decide("git stash")).toBe("allow");
    rmSync(own.path(".git"), { recursive: true });
    own.git("init", "-q", "src");
    expect(await own.decide("git stash", own.path("src"))).toBe("ask");
  });

  test("a file of git's own is exchanged before the command runs: it does not run", async () => {
    using own = new GitBench();
    const effects = await own.effectsOfLine("git stash");
    expect(effects.some(({ undoable }) => undoable)).toBe(true);
    mkdirSync(own.path(".git/rebase-merge"));
    await expect(own.beginLine("c1", "git stash")).resolves.toBeTypeOf("function");
    const context = { ...own.toContext("c2"), effects };
    expect(await own.journal.begin(context, { folder: own.root, refs: [] })).toContain("not finished");
  });
});

describe("Undo of a line of git is refused, and changes nothing, where since then", () => {
  test.for<[string, string, (bench: GitBench) => void]>([
    ["all stashes were thrown away", "git stash", (one) => one.git("stash", "clear")],
    ["something else was stashed", "git stash apply", (one) => one.git("stash", "-q")],
    ["a commit was made", "git stash", (one) => one.git("commit", "-q", "--allow-empty", "-m", "more")],
    ["a commit was made on the other branch", "git switch ahead", commitMore],
    [
      "another branch was checked out",
      "git switch ahead",
      (one) => one.git("switch", "-q", "--detach", "v1"),
    ],
    ["something was staged", "git reset -q -- staged.txt", (one) => one.git("add", "untracked.txt")],
    ["a file was written", "git stash", (one) => one.write("keep.txt", "written since\n")],
    ["a merge was begun", "git stash", (one) => one.git("update-ref", "MERGE_HEAD", "other")],
    ["git is at work", "git stash", (one) => one.write(".git/index.lock", "")],
    ["the branch that it made was packed", "git switch -c fresh", (one) => one.git("pack-refs", "--all")],
    ["the reflog was rewritten", "git reset --soft v1", (one) => one.write(".git/logs/HEAD", "")],
    [
      "the former commit is gone",
      "git reset --soft v1",
      (one) => {
        one.git("tag", "-d", "v1");
        for (const ref of ["other", "ahead"]) one.git("branch", "-q", "-D", ref);
        for (const ref of ["refs/remotes/origin/main", "refs/stash", "ORIG_HEAD"])
          one.git("update-ref", "-d", ref);
        const log = one.git("rev-parse", "HEAD@{1}").trim();
        rmSync(one.path(".git/objects", log.slice(0, 2), log.slice(2)), { force: true });
      },
    ],
  ])("%s (%s)", async ([, line, change]) => {
    using own = new GitBench();
    // Beside a part that is let pass because it can be undone, others are recorded too.
    const recorded = line === "git switch -c fresh" ? `${line}; git reset -q -- staged.txt` : line;
    await own.run("c1", recorded);
    change(own);
    const lock = own.path(".git/index.lock");
    const state = existsSync(lock) ? undefined : own.state();
    await expect(own.undo("c1")).rejects.toMatchObject({ code: "UNDO_CONFLICT" });
    rmSync(lock, { force: true });
    if (state !== undefined) expect(own.state()).toEqual(state);
  });
});

test("a question about the undo of a line of git says what of .git it puts back", async () => {
  using own = new GitBench();
  await own.run("c1", "git stash");
  const context = { allowedPaths: [own.root] };
  const undo = own.tools.get("undo_changes");
  const effects = (await undo?.effects?.({ call_id: "c1" } as never, context)) ?? [];
  const ofGit = effects.filter(({ asks }) => asks !== undefined);
  expect(ofGit.map(({ target }) => target)).toEqual([own.path(".git")]);
  expect(ofGit[0]?.asks).toContain("hooks and settings are left alone");
});

test("a stash that was dropped since is not needed to undo the line that made it", async () => {
  using own = new GitBench();
  const before = own.state();
  await own.run("c1", "git stash");
  own.git("stash", "drop", "-q");
  await own.undo("c1");
  expect(own.state()).toEqual(before);
});

test("a line of git that is killed half-way is put back by what was recorded before it ran", async () => {
  using own = new GitBench();
  const before = own.state();
  const line = "git stash; git switch other; echo half-way; sleep 60";
  await own.beginLine("c1", "git stash; git switch other");
  const child = spawn("bash", ["-c", line], { cwd: own.root, env: ownEnvironment(own), detached: true });
  // git tells of its stash first.
  for await (const piece of child.stdout) if (String(piece).includes("half-way")) break;
  process.kill(-(child.pid ?? 0), "SIGKILL");
  await once(child, "close");
  await own.undo("c1");
  expect(own.state()).toEqual(before);
});

test("an undo that was cut off between two files is finished by the next", async () => {
  using own = new GitBench();
  const before = own.state();
  await own.run("c1", "git stash; git switch other");
  // Files first, then refs: HEAD is put back, the index is not.
  writeFileSync(own.path(".git/HEAD"), String(before["head"]));
  await own.undo("c1");
  expect(own.state()).toEqual(before);
});

test("git's looking at the files again does not stand in the way of undo, nor does packing its refs", async () => {
  using own = new GitBench();
  const before = own.state();
  await own.run("c1", "git reset --soft v1");
  own.write("keep.txt", "changed, not staged\n");
  own.git("update-index", "-q", "--refresh", "--really-refresh");
  own.git("pack-refs", "--all");
  await own.undo("c1");
  expect({ ...own.state(), status: "" }).toEqual({ ...before, status: "" });
});

function side(own: GitBench, name: string): void {
  const blob = own.git("hash-object", "-w", "keep.txt").trim();
  const env = { GIT_INDEX_FILE: own.path(".git/side-index") };
  own.git("read-tree", `--index-output=${env.GIT_INDEX_FILE}`, "ahead");
  own.gitWith(env, "update-index", "--add", "--cacheinfo", `100644,${blob},${name}`);
  const tree = own.gitWith(env, "write-tree").trim();
  rmSync(env.GIT_INDEX_FILE);
  own.git("branch", "side", own.git("commit-tree", "-m", "side", "-p", "ahead", tree).trim());
}

function track(own: GitBench, name: string): void {
  own.write(name, "tracked\n");
  own.git("add", "-f", name);
}

function commitMore(own: GitBench): void {
  own.git("commit", "-q", "--allow-empty", "-m", "more");
}

function ownEnvironment(own: GitBench): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: own.folder,
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
}
