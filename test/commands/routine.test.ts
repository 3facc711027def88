import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type CommandGate, openCommandGate } from "../support/command-gate.ts";

const config = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
[remote "origin"]
	url = git@example.com:a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
`;

/** A work tree as git makes it, with a folder to lose. */
function plant(folder: string): void {
  for (const path of [".git/hooks", "canary/d", "empty"]) mkdirSync(join(folder, path), { recursive: true });
  for (const path of ["canary/f", "keep.txt"]) writeFileSync(join(folder, path), "data");
  writeFileSync(join(folder, ".git/config"), config);
  writeFileSync(join(folder, ".git/hooks/pre-commit.sample"), "");
}

const gate = openCommandGate({ plant });
afterAll(() => gate[Symbol.asyncDispose]());

describe("in a sandbox runs unasked", () => {
  test.for([
    "mkdir -p build/x && touch build/x/y keep.txt",
    "mkdir canary/new",
    "awss s3 rm s3://bucket/path --recursive",
    "kubectl get pods -n team",
    "fly apps list",
    "curl 'https://example.com/data?a=1&b=2'",
    "psql -c 'SELECT * FROM dropdown'",
    "node --version; python3 -V",
    "npm ls",
    "docker image ls",
    "crontab -l",
    "terraform state list",
    "kill 1234",
    "unknown some thing --out=new.txt",
    "timeout 5 nohup unknown &",
    "while true; do unknown; sleep 1; done",
    "echo done >> new.log",
    "git status --short",
    "git --no-pager log --oneline -5",
    "git diff --stat HEAD~1 -- canary",
    "git show HEAD:keep.txt",
    "git add keep.txt canary/f && git commit -qm 'It works; `x` $(y) > z'",
    "git branch feature/x; git switch -c feature/y; git checkout -b z; git tag v1",
    "git stash list",
    "git fetch origin",
  ])("%s", async (command) => {
    expect(await gate.decideConfined(command)).toBe("allow");
  });

  test("only: without one the same commands ask", async () => {
    for (const command of ["mkdir x", "git add keep.txt", "fly apps list", "echo x >> new.log", "unknown"]) {
      expect([command, await gate.decide(command)]).toEqual([command, "ask"]);
    }
  });
});

describe("in a sandbox asks", () => {
  test.for<[string, readonly string[]]>([
    [
      "what names a file that is there",
      ["mv canary x", "unknown --wipe canary", "zip -m x.zip canary", "truncate canary/f"],
    ],
    [
      "a name after an option",
      ["sort -o canary/f", "unknown -ocanary/f", "unknown --out=canary/f", "unknown if=canary/f"],
    ],
    [
      "a name within a word",
      ["unknown a:canary/f", "unknown x,canary", "unknown @keep.txt", "unknown 'copy canary away'"],
    ],
    [
      "a name on another way",
      [
        "unknown ./canary",
        "unknown new/../canary/f",
        "unknown canary/d/..",
        "unknown .",
        "unknown canary//f",
      ],
    ],
    [
      "a name in a folder entered",
      ["cd canary && unknown f", "cd canary/d; unknown ../f", "bash -c 'cd canary; unknown f'"],
    ],
    [
      "a pattern",
      ["unknown can*", "unknown 'can*'", "unknown canar?", "unknown {canary,x}", "parallel rm ::: can*"],
    ],
    ["the name that a download would get", ["cd canary && curl -O https://example.com/f"]],
    [
      "a file that the line itself makes",
      ["echo canary >> list; unknown list", "echo canary >> list; unknown --from=./list"],
    ],
    ["whatever is outside", ["unknown /etc/passwd", "unknown ~/x", "unknown ../x", "unknown way-out/x"]],
    [
      "what reads its names",
      ["ls | unknown", "unknown < keep.txt", "unknown <<< canary", "{ unknown; } < keep.txt"],
    ],
    [
      "what needs no names",
      [
        "find -delete",
        "find .git/hooks -maxdepth 1 -execdir touch pre-commit ';'",
        "find . -okdir touch x ';'",
        "find canary -execdir cat f ';'",
        "tar x",
        "patch",
        "split",
        "cargo clean",
        "make",
        "hg purge",
        "detox -r",
        "prettier -w",
      ],
    ],
    [
      "code of the workspace",
      [
        "npm run x",
        "./x",
        "npx x",
        "pytest",
        "go test",
        "terraform plan",
        "docker compose up",
        "python3 x.py",
      ],
    ],
    [
      "a program that starts others",
      ["wrap git clean -fdx", "wrap --exec=git", "rg --pre rm x", "sort --compress-program=rm", "strace ls"],
    ],
    [
      "code in a word",
      ["unknown 'system(x)'", "unknown 'a;b'", "unknown 'a[$(x)]'", "unset 'a[$(x)]'", "compgen -C x"],
    ],
    [
      "a secret, and what others start",
      [
        "touch .env",
        "touch .git/hooks/pre-commit",
        "echo x >> .git/config",
        "git add secret/.env",
        "mkdir .husky",
        "touch .pdbrc",
        "mkdir -p .opencode/plugin",
        "unknown --out=.gitea/workflows/ci.yml",
        "unknown opencode.json",
      ],
    ],
    [
      "the configuration of haft",
      ["touch haft.config.yml", "echo x >> haft.config.json", "unknown new/haft.config.yaml"],
    ],
    ["a file that is replaced", ["echo x > new.txt", "echo x >> keep.txt", "echo x >| new.txt"]],
    [
      "what git loses",
      [
        "git checkout main",
        "git switch main",
        "git stash",
        "git commit --amend",
        "git branch -D x",
        "git fetch origin +a:b",
      ],
    ],
    [
      "what git starts",
      [
        "git -c a=b status",
        "GIT_PAGER=x git log",
        "git --exec-path=x status",
        "git log --ext-diff",
        "git x",
        "git grep -O x",
      ],
    ],
    [
      "what git is not asked for",
      [
        "git diff --no-index a b",
        "git diff /dev/null secret",
        "git show HEAD:secret/.env",
        "git log --output=x",
      ],
    ],
    [
      "a risk",
      ["rm new", "chmod 777 new", "aws s3 rb s3://x", "kill -9 1234", "curl -X DELETE https://example.com/x"],
    ],
  ])("%s", async ([, commands]) => {
    for (const command of commands) {
      expect([command, await gate.decideConfined(command)]).toEqual([command, "ask"]);
    }
  });

  test("a program that the workspace brings along, also where it has a name of the system's", async () => {
    mkdirSync(join(gate.folder, "node_modules/.bin"), { recursive: true });
    expect(await gate.decideConfined("frobnicate all")).toBe("allow");
    writeFileSync(join(gate.folder, "node_modules/.bin/frobnicate"), "");
    expect(await gate.decideConfined("frobnicate all")).toBe("ask");
  });

  test("whatever is said after more names than are looked up", async () => {
    const words = Array.from({ length: 200 }, (_, index) => `w${index}`);
    expect(await gate.decideConfined(words.slice(0, 30).join(" "))).toBe("allow");
    expect(await gate.decideConfined(words.join(" "))).toBe("ask");
    expect(await gate.decideConfined(words.map((word) => `unknown ${word}`).join(";"))).toBe("ask");
  });

  test("whatever names a file, in any of the ways of writing one", async () => {
    const before = fc.constantFrom(
      "",
      "-o",
      "-xf",
      "--out=",
      "if=",
      "a:",
      "x,",
      "@",
      "+",
      "./",
      "k=v:",
      "user@host:",
    );
    const name = fc.constantFrom(
      "canary",
      "canary/f",
      "keep.txt",
      "canary/d",
      "empty",
      "src/a.ts",
      "new/../keep.txt",
    );
    const after = fc.constantFrom("", "/", ":12", ",new", "=x", " new", "@v1");
    const around = fc.constantFrom(
      (word: string) => `unknown ${word}`,
      (word: string) => `unknown new '${word}'`,
      (word: string) => `true && unknown "${word}" other`,
      (word: string) => `timeout 5 unknown a b ${word}`,
      (word: string) => `bash -c 'unknown "${word}"'`,
      (word: string) => `(unknown ${word}) &`,
    );
    await fc.assert(
      fc.asyncProperty(before, name, after, around, async (start, middle, end, wrap) => {
        expect(await gate.decideConfined(wrap(`${start}${middle}${end}`))).toBe("ask");
      }),
      { numRuns: 500, seed: 5 },
    );
  });
});

describe("git in a sandbox", () => {
  async function inRepository(change: (folder: string) => void, command = "git status"): Promise<string> {
    const own: CommandGate = openCommandGate({
      plant(folder) {
        plant(folder);
        change(folder);
      },
    });
    await using _closed = own;
    return await own.decideConfined(command);
  }

  test.for<[string, string]>([
    ["core", "fsmonitor = ./x"],
    ["core", "hooksPath = h"],
    ["core", "pager = x"],
    ["core", "sshCommand = x"],
    ["core", "worktree = /x"],
    ["core", "editor = x\\\n y"],
    ['filter "x"', "clean = x"],
    ['diff "x"', "textconv = x"],
    ["include", "path = x"],
    ['remote "origin"', "uploadpack = x"],
    ['remote "x"', "url = ext::sh -c x"],
    ["alias", "status = !x"],
  ])("asks where the repository's configuration may start a program: [%s] %s", async ([section, line]) => {
    const change = (folder: string) =>
      writeFileSync(join(folder, ".git/config"), `${config}[${section}]\n\t${line}\n`);
    expect(await inRepository(change)).toBe("ask");
  });

  test.for(["pre-commit", "post-checkout", "reference-transaction"])(
    "asks where there is a hook: %s",
    async (hook) => {
      const change = (folder: string) => {
        writeFileSync(join(folder, ".git/hooks", hook), "");
        chmodSync(join(folder, ".git/hooks", hook), 0o755);
      };
      expect(await inRepository(change, "git commit -m x")).toBe("ask");
    },
  );

  test("asks where git would look elsewhere: a bare repository, submodules, a linked work tree", async () => {
    expect(await inRepository((folder) => writeFileSync(join(folder, "HEAD"), ""))).toBe("ask");
    expect(await inRepository((folder) => writeFileSync(join(folder, ".gitmodules"), ""))).toBe("ask");
    const linked = (folder: string) => {
      rmSync(join(folder, ".git"), { recursive: true });
      writeFileSync(join(folder, ".git"), "gitdir: elsewhere\n");
    };
    expect(await inRepository(linked)).toBe("ask");
    const link = (folder: string) => {
      rmSync(join(folder, ".git"), { recursive: true });
      symlinkSync("../outside", join(folder, ".git"));
    };
    expect(await inRepository(link)).toBe("ask");
  });

  test("runs unasked in a folder below a plain repository, and where there is none", async () => {
    expect(await inRepository(() => {}, "cd canary/d && git status")).toBe("allow");
    expect(await inRepository((folder) => rmSync(join(folder, ".git"), { recursive: true }))).toBe("allow");
    expect(
      await inRepository(
        (folder) => writeFileSync(join(folder, "canary/HEAD"), ""),
        "cd canary && git status",
      ),
    ).toBe("ask");
  });
});
