import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Processes, Sandbox } from "../src/host/index.ts";
import { needs } from "./support/needs.ts";
import { sandboxHere } from "./support/sandbox-levels.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-git-")));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 20 }));

const { level, inSandbox } = await sandboxHere();
const hasGit = spawnSync("git", ["--version"]).status === 0;
const inSandboxWithGit = level === "none" ? inSandbox : needs("git", hasGit);

let count = 0;

function makePlace(): { readonly home: string; readonly work: string } {
  const home = join(base, `home-${++count}`);
  const work = join(home, "work");
  mkdirSync(work, { recursive: true });
  return { home, work };
}

test.for(["as git made it", "with a list of the user's", "without a list", "below the folder"])(
  "What a sandbox holds is nothing to git, in a repository %s",
  inSandboxWithGit,
  async (kind) => {
    const place = makePlace();
    const folder = kind === "below the folder" ? join(place.work, "a [b]") : place.work;
    mkdirSync(folder, { recursive: true });
    const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" });
    git("init", "-q");
    const info = join(folder, ".git/info");
    if (kind === "without a list") rmSync(info, { recursive: true });
    if (kind === "with a list of the user's") writeFileSync(join(info, "exclude"), "mine");
    const before = kind === "without a list" ? [] : readFileSync(join(info, "exclude"), "utf8");
    writeFileSync(join(folder, "mine"), "");
    writeFileSync(join(folder, "file"), "");
    const names = ["haft.config.yml", ".haft/tools", "sub/odd *[x] name"];
    mkdirSync(join(folder, "sub"));
    const sandbox = new Sandbox({ protected: names.map((name) => join(folder, name)) });
    await using processes = new Processes({ sandbox });
    const run = async (line: string) => {
      const { stdout, stderr } = await processes.runShell(line, {
        cwd: folder,
        environment: { PATH: "/usr/bin:/bin", HOME: place.home },
        signal: AbortSignal.timeout(50_000),
        bounds: { writable: [place.work] },
      });
      return stdout.text + stderr.text;
    };
    const me = "git -c user.name=me -c user.email=me@example.com";
    const expected = kind === "with a list of the user's" ? ["file"] : ["file", "mine"];
    expect(await run("git status --porcelain -uall; ls haft.config.yml")).toBe(
      `${expected.map((name) => `?? ${name}\n`).join("")}haft.config.yml\n`,
    );
    expect(await run(`git add -A && ${me} commit -qm first && git ls-files`)).toBe(
      `${expected.join("\n")}\n`,
    );
    expect(
      await run(`echo x > new && ${me} stash -q -u && git show --name-only --format= stash^3; git clean -fd`),
    ).toBe("new\n");
    expect(git("status", "--porcelain", "-uall", "--ignored")).toBe(
      kind === "with a list of the user's" ? "!! mine\n" : "",
    );
    expect(existsSync(info) ? readFileSync(join(info, "exclude"), "utf8") : []).toEqual(before);
  },
);

test("A command is shown no file that a link in place of git's list leads to", inSandbox, async () => {
  const { home, work } = makePlace();
  mkdirSync(join(work, ".git/info"), { recursive: true });
  writeFileSync(join(home, "notes"), "SECRET notes");
  symlinkSync(join(home, "notes"), join(work, ".git/info/exclude"));
  await using processes = new Processes({
    sandbox: new Sandbox({ protected: [join(work, "haft.config.yml")] }),
  });
  const { stdout } = await processes.runShell("cat .git/info/exclude; echo done", {
    cwd: work,
    environment: { PATH: "/usr/bin:/bin" },
    signal: AbortSignal.timeout(50_000),
    bounds: { writable: [work] },
  });
  expect(stdout.text).toBe("done\n");
});
