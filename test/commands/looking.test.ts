import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openCommandGate } from "../support/command-gate.ts";

const programs = "pip pip3 npm man whatis python3 java docker cargo yarn pnpm go".split(" ");

/** A work tree as git makes it, with `change` made to it. */
function openRepository(change: (folder: string) => void = () => {}, tracks: readonly string[] = []) {
  return openCommandGate({
    programs,
    plant(folder) {
      const git = (...words: readonly string[]) =>
        execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=b@example.com", ...words]);
      git("init", "-q", "--template=");
      mkdirSync(join(folder, ".git/hooks"));
      writeFileSync(join(folder, "package.json"), "{}");
      git("add", "-f", "notes.txt", "src", "package.json", ...tracks);
      git("commit", "-qm", "x");
      change(folder);
    },
  });
}

const gate = openRepository();
const leaky = openRepository(undefined, ["secret/.env"]);
afterAll(() => Promise.all([gate, leaky].map((one) => one[Symbol.asyncDispose]())));

describe("looking runs unasked, without a sandbox too", () => {
  test.for([
    "git status",
    "git status --short",
    "git log --oneline -5",
    "git log -p -- notes.txt",
    "git diff",
    "git diff --stat HEAD",
    "git show HEAD:notes.txt",
    "git blame notes.txt",
    "git ls-files",
    "git branch -a",
    "git branch --merged",
    "git branch --merged main",
    "git branch --no-merged=main -r",
    "git branch --contains HEAD~1 'feature/*'",
    "git branch --format '%(refname)'",
    "git branch -dh feature",
    "git branch -h",
    "git push -h",
    "git tag --list",
    "git stash list",
    "git grep -n text",
    "git grep -n '^/text.*$' src",
    "git grep -e text -- notes.txt",
    "git config --get user.name",
    "git config user.email",
    "git config --list --local",
    "pip list",
    "pip3 show requests",
    "npm pkg get version",
    "npm ls --depth 0",
    "npm --version",
    "python3 --version",
    "java -version",
    "docker --version",
    "tar --help",
    "rm --help",
    "man ls",
    "man -k copy",
    "sed -n '1,5p' notes.txt",
    "sed 's/a/b/g' notes.txt",
    "sed -E 's|(a+)/b|\\1|; /^#/d; $p' notes.txt",
    "sed -n -e '/a/,/b/p' notes.txt",
    "sed ':a;N;$!ba;s/\\n/ /g' notes.txt",
    "for f in notes.txt src/a.ts; do cat $f; done",
    "for f in src/*.ts; do wc -l $f; done",
    'for f in src/*.ts *.txt; do grep -c text "$f" | head -1; done',
    "du -sh *",
    "du -sh * | sort -h",
    "stat -c %s *",
    "find src -name '*.ts' -newer package.json",
    'for f in a b; do for g in 1 2; do echo "$f-${g}"; done; done',
    'for f in notes.txt; do wc -l "$f" | head -1; echo $(basename $f); done',
  ])("%s", async (command) => {
    expect(await gate.decide(command)).toBe("allow");
    expect(await gate.decideConfined(command)).toBe("allow");
  });
});

describe("what looks like looking and is more asks, in a sandbox too", () => {
  test.for([
    "git branch --merged -d feature",
    "git branch --merged main -D feature",
    "git branch -d -h feature",
    "git branch -dx feature",
    "git push -h origin",
    "git x -h",
    "git grep -O text",
    "git grep --open-files-in-pager=x text",
    "git grep --no-index text",
    "git grep --untracked text",
    "git grep -f .env",
    "git grep text HEAD~5",
    "git grep text abc123",
    "git grep text -- secret/.env",
    "git grep text ../outside",
    "git log --ext-diff",
    "git log -p --textconv",
    "git log -p",
    "git diff --output=x",
    "git -c core.pager=x log",
    "git -c alias.status=!x status",
    "git config alias.x '!touch y'",
    "git config --get --file x a.b",
    "git config --get include.path x",
    "git config --get http.extraheader",
    "git config --get credential.helper",
    "git config --list",
    "git config --unset user.name",
    "git config --edit",
    "git restore notes.txt",
    "git restore --staged .",
    "git config a.b c",
    "git restore --staged --worktree notes.txt",
    "git restore --staged --source=HEAD~1 -W notes.txt",
    "man -P x ls",
    "man -Px ls",
    "man --pager=x ls",
    "man -Hx ls",
    "man -C x ls",
    "man ./x",
    "man -l x",
    "pip list --outdated",
    "pip --python x list",
    "pip list --log x",
    "pip freeze -r x",
    "pip install x",
    "python3 -m pip list",
    "npm pkg set version=1",
    "npm pkg delete x",
    "npm pkg fix",
    "npm pkg get version --prefix x",
    "npm config set x y",
    "cargo --version",
    "yarn --version",
    "pnpm --version",
    "go version",
    "./tar --help",
    "npx tar --help",
    "rm --help x -r",
    "python3 x.py --help",
    "sed -i s/a/b/ notes.txt",
    "sed -ni p notes.txt",
    "sed -n --in-place=.b p notes.txt",
    "sed -E -i.bak p notes.txt",
    "sed --in-place p notes.txt",
    "sed 'w x' notes.txt",
    "sed 's/a/b/w x' notes.txt",
    "sed 's/a/b/e' notes.txt",
    "sed 's/a/b/ge' notes.txt",
    "sed 's/a/b/Me' notes.txt",
    "sed '1e touch x' notes.txt",
    "sed e notes.txt",
    "sed 'r .env' notes.txt",
    "sed 'R .env' notes.txt",
    "sed -n 'p;w x' notes.txt",
    "sed -n '/a/{p;w x\n}' notes.txt",
    "sed -e p -e 'w x' notes.txt",
    "sed --expression=p -e 'w x' notes.txt",
    "sed -f x notes.txt",
    "sed 's/[/]/w x/' notes.txt",
    "sed 's,a,b,;s/x/y/w z' notes.txt",
    "sed '\\%a%w x' notes.txt",
    "sed p secret/.env",
    "sed --posix -s 's/a/b/w x' notes.txt",
    "sed $x notes.txt",
    "for f in secret/.env; do cat $f; done",
    "for f in a $x; do cat $f; done",
    "for f in $(ls); do cat $f; done",
    "for f in *; do cat $f; done",
    "for f in se*/.e*; do cat $f; done",
    "for f in secret/.e*; do cat $f; done",
    "for f in way-o*; do cat $f; done",
    "for f in ../outside/*; do cat $f; done",
    "for f in src/*.ts; do sed -i s/a/b/ $f; done",
    "for f in src/*.ts; do cat $f.bak; done",
    "for f in src/*.ts; do $f; done",
    "IFS=/; for f in src/*.ts; do wc -l $f; done",
    "touch src/b.ts; for f in src/*.ts; do cat $f; done",
    "find . -newer ../outside/file",
    "find . -newermt",
    "for f in 'a b'; do cat $f; done",
    "for f in notes.txt; do f=secret/.env; cat $f; done",
    "for f in notes.txt; do read f; cat $f; done",
    "for f in notes.txt; do printf -v f %s secret/.env; cat $f; done",
    "for f in notes.txt; do echo ${f:=x}; cat $f; done",
    "for f in notes.txt; do cat ${f%.txt}; done",
    "for f in notes.txt; do cat ${!f}; done",
    "for f in notes.txt; do for f in secret/.env; do :; done; cat $f; done",
    "for f in notes.txt; do :; done; cat $f",
    "for f in rm; do $f notes.txt; done",
    "for f in -rf notes.txt; do rm $f; done",
    "for f in w,x; do sed s/a/b/$f notes.txt; done",
    "for f in -i; do sed $f p notes.txt; done",
    "for f in ../outside/file; do cat $f; done",
    "for f in notes.txt; do cat > $f; done",
    "for PATH in x; do ls; done",
    "for f in a; do bash -c 'cat $f'; done",
    "for f in .; do eval cat $f; done",
  ])("%s", async (command) => {
    expect([command, await gate.decide(command)]).toEqual([command, "ask"]);
    expect([command, await gate.decideConfined(command)]).toEqual([command, "ask"]);
  });

  test("a loop over a pattern that finds a name with a blank in it, which a shell would take apart", async () => {
    await using spaced = openRepository((folder) => writeFileSync(join(folder, "src/a secret.ts"), ""));
    for (const command of ["for f in src/*; do wc -l $f; done", "for f in src/*.ts; do ls $f; done"])
      expect([command, await spaced.decideConfined(command)]).toEqual([command, "ask"]);
    expect(await spaced.decide("wc -l src/*.ts")).toBe("allow");
  });

  test("git grep and git diff, where git keeps a secret", async () => {
    for (const command of ["git grep text", "git grep text secret", "git diff", "git show"]) {
      expect([command, await leaky.decide(command)]).toEqual([command, "ask"]);
    }
    expect(await leaky.decide("git grep text -- notes.txt")).toBe("allow");
  });

  test.for<[string, string, (folder: string) => void]>([
    ["a driver of differences", "git diff", (folder) => addConfig(folder, '[diff "x"]\n\ttextconv = x')],
    ["an external diff", "git log --oneline", (folder) => addConfig(folder, "[diff]\n\texternal = x")],
    ["a watcher of files", "git status", (folder) => addConfig(folder, "[core]\n\tfsmonitor = ./x")],
    ["a pager", "git grep text", (folder) => addConfig(folder, "[core]\n\tpager = x")],
    [
      "an included file",
      "git config --get user.name",
      (folder) => addConfig(folder, "[include]\n\tpath = ../.env"),
    ],
    ["an alias", "git status", (folder) => addConfig(folder, "[alias]\n\tx = !y")],
    [
      "a configuration of npm",
      "npm pkg get version",
      (folder) => writeFileSync(join(folder, ".npmrc"), "x=y\n"),
    ],
    [
      "one above the folder it is in",
      "cd src && npm ls",
      (folder) => writeFileSync(join(folder, ".npmrc"), "x=y\n"),
    ],
    [
      "a hook",
      "git status",
      (folder) => {
        writeFileSync(join(folder, ".git/hooks/post-index-change"), "");
        chmodSync(join(folder, ".git/hooks/post-index-change"), 0o755);
      },
    ],
  ])("where there is %s: %s", async ([, command, change]) => {
    await using own = openRepository(change);
    expect(await own.decide(command)).toBe("ask");
    expect(await own.decideConfined(command)).toBe("ask");
  });
});

function addConfig(folder: string, lines: string): void {
  const path = join(folder, ".git/config");
  execFileSync("sh", ["-c", 'printf "%s\\n" "$2" >> "$1"', "sh", path, lines]);
}

describe("a word of a message is no risk", () => {
  test.for([
    "git commit -m 'fix rm -rf in the .env loader'",
    "git commit -qm 'drop table users; git push --force'",
    "git commit --message='delete from x'",
    "git restore --staged notes.txt",
  ])("%s runs unasked in a sandbox", async (command) => {
    expect(await gate.decideConfined(command)).toBe("allow");
    expect(await gate.decide(command)).toBe("ask");
  });

  test.for([
    "git commit -m x --amend",
    "git commit -am 'all'",
    "git commit -m 'x' --no-verify",
    "git commit -m x && rm -rf src",
    "git send-pack --force origin main",
  ])("%s asks", async (command) => {
    expect(await gate.decideConfined(command)).toBe("ask");
  });
});
