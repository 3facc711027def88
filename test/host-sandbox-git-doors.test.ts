import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { Processes, Sandbox } from "../src/host/index.ts";
import { needs } from "./support/needs.ts";
import { sandboxHere } from "./support/sandbox-levels.ts";
import { until } from "./support/until.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-doors-")));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 20 }));

const { level, inSandbox } = await sandboxHere();
const hasGit = spawnSync("git", ["--version"]).status === 0;
const canRun = level === "none" ? inSandbox : needs("git", hasGit);

const identity = {
  GIT_AUTHOR_NAME: "me",
  GIT_AUTHOR_EMAIL: "me@example.com",
  GIT_COMMITTER_NAME: "me",
  GIT_COMMITTER_EMAIL: "me@example.com",
};

/** A workspace, its user's git, and what runs a line in the sandbox. What a command plants runs `spy`. */
function openWorkspace() {
  const home = mkdtempSync(join(base, "home-"));
  const work = join(home, "work");
  mkdirSync(work);
  const spy = join(home, "spy");
  const sign = join(home, "ran");
  writeFileSync(spy, `#!/bin/sh\ntouch ${sign}\nexit 1\n`, { mode: 0o755 });
  const environment = { PATH: "/usr/bin:/bin", HOME: home, SPY: spy, ...identity };
  const processes = new Processes({ sandbox: new Sandbox() });
  onTestFinished(() => processes.close());
  const gitIn = (folder: string, ...args: string[]) => {
    const { stdout, stderr } = spawnSync("git", ["-C", folder, ...args], {
      encoding: "utf8",
      env: environment,
    });
    return stdout + stderr;
  };
  const run = async (
    line: string,
    {
      signal = AbortSignal.timeout(50_000),
      also = [],
    }: { readonly signal?: AbortSignal; readonly also?: readonly string[] } = {},
  ) => {
    const result = await processes.runShell(line, {
      cwd: work,
      environment,
      signal,
      bounds: { writable: [work, ...also] },
    });
    return {
      said: result.stdout.text + result.stderr.text,
      findings: result.confinement?.findings ?? [],
    };
  };
  return {
    home,
    work,
    spy,
    run,
    gitIn,
    git: (...args: string[]) => gitIn(work, ...args),
    /** Whether it ran for the user, who looks at this folder and commits in it. */
    hasRunIn: (folder = work) => {
      gitIn(folder, "status");
      gitIn(folder, "commit", "--allow-empty", "-qm", "mine");
      return existsSync(sign);
    },
  };
}

/** A repository with a submodule, a linked worktree elsewhere, and settings that name hooks and more settings. */
function openRepository() {
  const opened = openWorkspace();
  const { git, gitIn, home } = opened;
  const other = join(home, "other");
  mkdirSync(other);
  git("init", "-q");
  gitIn(other, "init", "-q");
  gitIn(other, "commit", "-q", "--allow-empty", "-m", "first");
  git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "libs/sub");
  git("commit", "-qm", "first");
  git("worktree", "add", "-q", join(home, "linked"));
  git("config", "extensions.worktreeConfig", "true");
  git("config", "include.path", "../.gitconfig");
  return opened;
}

const evilSettings = "printf '[core]\\n\\tfsmonitor = %s\\n' $SPY";
const evilFolder = `git init -q --bare evil && ${evilSettings} > evil/config`;
const evilHook = "printf '#!/bin/sh\\n%s\\n' $SPY > hook; chmod +x hook";

describe("A command in a repository leaves nothing that git runs for its user:", canRun, () => {
  test.for([
    ["commondir", `${evilFolder}; echo ../evil > .git/commondir`],
    [
      "commondir in place of what is there",
      `${evilFolder}; echo ../evil > new; mv new .git/commondir; rm -f .git/commondir; ln -s ../evil .git/commondir`,
    ],
    ["settings of a worktree", `${evilSettings} > .git/config.worktree`],
    ["included settings", `${evilSettings} > .gitconfig`],
    ["a submodule's settings", `${evilSettings} >> .git/modules/libs/sub/config`],
    ["a submodule's commondir", `${evilFolder}; echo ../../../../evil > .git/modules/libs/sub/commondir`],
    [
      "a submodule exchanged",
      `rm libs/sub/.git; git init -q libs/sub; ${evilSettings} >> libs/sub/.git/config`,
    ],
  ] as const)("%s", async ([, line]) => {
    const { run, git, hasRunIn, work } = openRepository();
    const before = git("status", "--porcelain");
    await run(line);
    expect([hasRunIn(), existsSync(join(work, ".git/commondir"))]).toEqual([false, false]);
    expect(before).not.toMatch(/fatal/);
    expect(git("status")).toMatch(/^On branch/);
  });

  test("a linked worktree that is somewhere else", async () => {
    const { run, home, hasRunIn, gitIn } = openRepository();
    await run(
      `${evilFolder}; echo ../../../evil > .git/worktrees/linked/commondir; ${evilSettings} > .git/worktrees/linked/config.worktree`,
    );
    expect(hasRunIn(join(home, "linked"))).toBe(false);
    expect(gitIn(join(home, "linked"), "status")).toMatch(/^On branch linked/);
  });

  test.for([".githooks", ".husky/_"])("hooks in %s, where the settings say that they are", async (folder) => {
    const { run, git, hasRunIn, work } = openWorkspace();
    git("init", "-q");
    git("config", "core.hooksPath", folder);
    await run(`${evilHook}; mkdir -p ${folder}; cp hook ${folder}/pre-commit; mv hook ${folder}/post-commit`);
    expect([hasRunIn(), existsSync(join(work, folder))]).toEqual([false, false]);
    mkdirSync(join(work, folder), { recursive: true });
    await run(`${evilHook}; cp hook ${folder}/pre-commit`);
    expect(hasRunIn()).toBe(false);
  });

  test("not while the command runs either, and git goes on for both", async () => {
    const { run, git, hasRunIn, work } = openRepository();
    const running = run(
      `${evilFolder}; echo ../evil > .git/commondir; touch begun; until [ -e go ]; do sleep 0.01; done; git status`,
    );
    await Promise.race([running, until(() => existsSync(join(work, "begun")))]);
    const seen = [readFileSync(join(work, ".git/commondir"), "utf8"), hasRunIn(), git("status")];
    writeFileSync(join(work, "go"), "");
    expect(seen).toEqual([".\n", false, expect.stringMatching(/^On branch/)]);
    expect((await running).said).toMatch(/^On branch[^]*commondir: Read-only file system/);
  });
});

describe("What git would run or follow is set aside, and told,", canRun, () => {
  const nested = `git init -q sub && git -C sub commit -q --allow-empty -m 0 && git -C sub config core.fsmonitor $SPY`;

  const pointed = (name: string) =>
    `mkdir -p sub node_modules/a; git init -q --bare 'node_modules/${name}'; printf '[core]\\n\\tworktree = %s\\n\\tfsmonitor = %s\\n' $PWD/sub $SPY > 'node_modules/${name}/config'`;

  test.for([
    ["in a repository below that is looked at from above", `${nested} && git add sub`, "."],
    [
      "in one that is named by an index only",
      "mkdir -p node_modules && cd node_modules && " + `${nested} && cd .. && git add -f node_modules/sub`,
      ".",
    ],
    [
      "… of version 4",
      `mkdir -p node_modules && cd node_modules && ${nested} && cd .. && touch a nod && git add -f a nod node_modules/sub && git update-index --index-version 4`,
      ".",
    ],
    [
      "… that is split in two",
      `mkdir -p node_modules/sub && touch node_modules/sub.x && git add -f node_modules/sub.x && git update-index --split-index && cd node_modules && ${nested} && cd .. && git add -f node_modules/sub && git update-index --split-index`,
      ".",
    ],
    ["in a repository below", nested, "sub"],
    ["in a hook of one", `git init -q sub && cd sub/.git/hooks && ${evilHook} && mv hook pre-commit`, "sub"],
    [
      "in settings of one that are a link",
      `git init -q sub && mv sub/.git/config x && ${evilSettings} >> x && ln -s ../../x sub/.git/config`,
      "sub",
    ],
    [
      "where a file says that it is elsewhere",
      `${evilFolder} && git -C evil config core.bare false && git -C evil config core.worktree ../sub; mkdir sub && echo gitdir: ../evil > sub/.git`,
      "sub",
    ],
    [
      "in a bare one",
      `${evilFolder} && printf '\\tworktree = .\\n\\tbare = false\\n' >> evil/config`,
      "evil",
    ],
    [
      "in one that was moved there",
      "git init -q --bare x && git -C x config core.bare false && git -C x config core.fsmonitor $SPY && mkdir sub && mv x sub/.git",
      "sub",
    ],
    [
      "in a bare one that has its settings elsewhere",
      `${evilFolder} && printf '\\tworktree = .\\n\\tbare = false\\n' >> evil/config; mkdir sub; mv evil/HEAD sub/HEAD; echo ../evil > sub/commondir`,
      "sub",
    ],
    [
      "where a name ends with a space",
      `${pointed("evil ")}; printf 'gitdir: ../node_modules/evil ' > sub/.git`,
      "sub",
    ],
    [
      "where a file says more than git reads",
      `${pointed("evil")}; printf 'gitdir: ../node_modules/evil\\0x' > sub/.git`,
      "sub",
    ],
    [
      "where a file is a link to one that says so",
      `${pointed("evil")}; echo gitdir: ../node_modules/evil > x; ln -s ../x sub/.git`,
      "sub",
    ],
    [
      "where the way leads up from a link",
      `${pointed("a/evil")}; ln -s ../node_modules/a/b sub/link; mkdir node_modules/a/b; echo gitdir: link/../evil > sub/.git`,
      "sub",
    ],
    [
      "where most of it is below itself",
      `git init -q sub; cp -r sub/.git x; mv x 'sub/.git/. '; git -C 'sub/.git/. ' config core.fsmonitor $SPY; printf '. ' > sub/.git/commondir`,
      "sub",
    ],
    [
      "where a link leads",
      `mkdir node_modules; cd node_modules; ${nested}; ln -s node_modules/sub ../link`,
      "link",
    ],
    [
      "in one that is named by an index that is a link",
      `mkdir node_modules; cd node_modules; ${nested}; cd ..; git init -q a; mkdir a/node_modules; mv node_modules/sub a/node_modules/sub; cd a; git add -f node_modules/sub; mv .git/index x; ln -s ../x .git/index`,
      "a",
    ],
    [
      "in a linked worktree",
      `git commit -q --allow-empty -m 0; git worktree add -q sub; ${evilFolder}; echo ../../../evil > .git/worktrees/sub/commondir`,
      "sub",
    ],
  ] as const)("%s", async ([, line, folder]) => {
    const { run, git, hasRunIn, work } = openWorkspace();
    git("init", "-q");
    const { findings } = await run(line);
    expect(hasRunIn(join(work, folder))).toBe(false);
    expect(findings.length).toBeGreaterThan(0);
    for (const one of findings) expect(one).toMatch(/^haft set aside what a command left in .*\.set-aside/);
    expect((await run("true")).findings).toEqual([]);
  });

  test.for([
    ["where there was none", "git init -q && git config core.fsmonitor $SPY"],
    [
      "where it takes the place of the one that was there",
      `git init -q . && rm -rf .git/HEAD; mkdir objects refs; cp .git/config config; echo 'ref: refs/heads/x' > HEAD; printf '[core]\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = %s\\n' $SPY > config`,
    ],
  ] as const)("%s", async ([, line]) => {
    const { run, hasRunIn } = openWorkspace();
    const { findings } = await run(line);
    expect([hasRunIn(), findings.length]).toEqual([false, 1]);
  });

  test("from wherever another allowed folder has it", async () => {
    const { run, work, hasRunIn, home } = openWorkspace();
    const second = join(home, "second");
    mkdirSync(second);
    const { findings } = await run(
      `mkdir -p sub; git init -q --bare ${second}/node_modules/evil; printf '[core]\\n\\tworktree = %s\\n\\tfsmonitor = %s\\n' $PWD/sub $SPY > ${second}/node_modules/evil/config; echo gitdir: ${second}/node_modules/evil > sub/.git`,
      { also: [second] },
    );
    expect([hasRunIn(join(work, "sub")), findings.length]).toEqual([false, 1]);
  });

  test("so that what opens nothing stays, and the rest can be brought back", async () => {
    const { run, work, gitIn } = openWorkspace();
    const sub = join(work, "sub");
    const { findings } = await run(
      "git init -q sub && cd sub && git remote add origin https://example.com/x && git config alias.x '!evil' && git config user.name them",
    );
    expect(findings).toEqual([
      `haft set aside what a command left in "${sub}/.git" for git to run or follow (alias.x); it is in config.set-aside now: rename it back if it is wanted, or run the command with \`unconfined: true\`, which asks`,
    ]);
    expect(gitIn(sub, "config", "--local", "--get-regexp", "alias|remote.*url|user")).toBe(
      "remote.origin.url https://example.com/x\nuser.name them\n",
    );
    expect(readFileSync(join(sub, ".git/config.set-aside"), "utf8")).toContain("x = !evil");
  });

  test("but not what the user had there, whatever a command does beside it", async () => {
    const { run, work, gitIn } = openWorkspace();
    const sub = join(work, "sub");
    mkdirSync(sub);
    gitIn(sub, "init", "-q");
    gitIn(sub, "config", "alias.x", "!true");
    writeFileSync(join(sub, ".git/hooks/pre-commit"), "#!/bin/sh\n", { mode: 0o755 });
    expect((await run("git -C sub remote add origin https://example.com/x")).findings).toEqual([]);
    const { findings } = await run(
      "git -C sub config core.pager evil; echo evil >> sub/.git/hooks/pre-commit",
    );
    expect(findings).toEqual([expect.stringContaining("(hooks/pre-commit, core.pager)")]);
    expect(gitIn(sub, "config", "--local", "--get-regexp", "alias|remote.*url|pager")).toBe(
      "alias.x !true\nremote.origin.url https://example.com/x\n",
    );
  });

  test("with the next command, where the one that left it was stopped", async () => {
    const { run, hasRunIn, work } = openWorkspace();
    const stopped = run(`${nested}; touch done; sleep 60`, {
      signal: stopWhen(() => existsSync(join(work, "done"))),
    });
    await expect(stopped).rejects.toThrow();
    expect(hasRunIn(join(work, "sub"))).toBe(false);
    expect((await run("true")).findings).toHaveLength(1);
  });

  test("with the command that ends first, where several run", async () => {
    const { run, hasRunIn, work } = openWorkspace();
    const slow = run("until [ -e go ]; do sleep 0.01; done");
    const first = await run(nested);
    writeFileSync(join(work, "go"), "");
    expect([first.findings.length, (await slow).findings, hasRunIn(join(work, "sub"))]).toEqual([
      1,
      [],
      false,
    ]);
  });
});

test("Everyday work with git goes on in the sandbox, and nothing is said of it", canRun, async () => {
  const { run, git, home } = openRepository();
  const { said, findings } = await run(`set -e; export GIT_EDITOR=true
    echo 1 > a; git add a; git commit -qm a; git branch other; git switch -q -c mine; echo 2 > b; git add b; git commit -qm b
    git switch -q other; echo 3 > c; git add c; git commit -qm c; git merge -q mine -m merged; git rebase -q -i HEAD~1
    echo 4 >> a; git stash -q; git stash pop -q; git checkout -q a; git tag v1; git gc -q
    git worktree add -q tree; git -C tree status -s; git worktree remove tree; git worktree list | wc -l
    git submodule status | wc -l; git -c protocol.file.allow=always submodule --quiet update; git fsck --no-dangling
    git init -q new; cd new; echo x > x; git add x; git commit -qm x; git clone -q . ../copy; cd ../copy; git status -s
    git checkout -q -b z origin/HEAD; git config user.name x; git init -q --bare ../bare; git push -q ../bare z; cat ../.git/commondir`);
  expect([said, findings]).toEqual(["2\n1\n.\n", []]);
  expect(git("log", "--oneline", "mine")).toMatch(/ b\n.* a\n/);
  expect(execFileSync("ls", [join(home, "work/.git")], { encoding: "utf8" })).not.toMatch(/commondir/);
});

/** Aborts once a condition holds. */
function stopWhen(condition: () => boolean): AbortSignal {
  const controller = new AbortController();
  void until(condition).then(() => controller.abort());
  return controller.signal;
}
