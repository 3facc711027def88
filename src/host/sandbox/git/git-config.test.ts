import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { needs } from "../../../../test/support/needs.ts";
import { mayRunCode, parseGitConfig, withoutSettings } from "./git-config.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-git-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gitIsHere = spawnSync("git", ["--version"]).status === 0;

/** What git itself reads: `section.name` by value; undefined where it refuses the file. */
function asGitReads(text: string): { readonly name: string; readonly value: string }[] | undefined {
  const path = join(folder, "config");
  writeFileSync(path, text);
  const { status, stdout } = spawnSync("git", ["config", "--file", path, "--list", "-z"], {
    cwd: "/",
    encoding: "utf8",
  });
  if (status !== 0) return undefined;
  return stdout
    .split("\0")
    .slice(0, -1)
    .map((line) => {
      const [key = "", ...value] = line.split("\n");
      const parts = key.split(".");
      return { name: `${parts[0]}.${parts.at(-1)}`, value: value.join("\n") };
    });
}

const dangerous = (text: string) => parseGitConfig(text).filter(mayRunCode);

describe("mayRunCode()", () => {
  test("is false for all that git writes for a new repository, a remote and a branch", () => {
    const text = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[remote "origin"]
\turl = https://example.com/x.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
[submodule "libs/sub"]
\tactive = true
\turl = ../sub
`;
    expect(dangerous(text)).toEqual([]);
  });

  test.for(
    `core.fsmonitor core.hooksPath core.sshCommand core.pager core.editor core.askPass core.gitProxy core.attributesFile core.worktree
     filter.x.clean filter.x.smudge filter.x.process diff.external diff.x.command diff.x.textconv merge.x.driver mergetool.x.cmd difftool.x.cmd
     alias.x include.path includeIf.x.path gpg.program gpg.ssh.program gpg.ssh.defaultKeyCommand credential.helper credential.x.helper
     pager.log sequence.editor interactive.diffFilter trailer.x.command trailer.x.cmd remote.x.uploadpack remote.x.receivepack remote.x.vcs
     submodule.x.update uploadpack.packObjectsHook protocol.ext.allow url.x.insteadOf browser.x.cmd man.x.cmd web.browser
     gc.recentObjectsHook lfs.extension.x.clean lfs.customtransfer.x.path init.templateDir receive.procReceiveRefs http.proxy
     extensions.somethingNew future.setting`.split(/\s+/),
  )("is true for %s", (key) => {
    const [section, ...rest] = key.split(".");
    const name = rest.pop();
    const head = rest.length === 0 ? `[${section}]` : `[${section} "${rest.join(".")}"]`;
    expect(dangerous(`${head}\n\t${name} = x\n`)).toHaveLength(1);
  });
});

describe("parseGitConfig()", needs("git", gitIsHere), () => {
  test("reads what git writes as git does", () => {
    const text = `# mine
[Core]
\tHooksPath = "a b\\"c" # not this
\tbare
[include]
\tpath = ../x ; nor this
[alias "deep.er"]
\tvalue = one \\
  two
`;
    const read = parseGitConfig(text).map(({ name, value }) => ({ name, value }));
    expect(read).toEqual(asGitReads(text)?.map(({ name, value }) => ({ name, value: value.trimEnd() })));
  });

  test("leaves nothing that git would run when what may run is taken away, however it is written", () => {
    const pieces = [
      "[core]",
      '[remote "x"]',
      "[core] fsmonitor = e",
      '[remote "a]b"]',
      '[alias "\\""]',
      "[core",
      "[co.re]",
      "fsmonitor = e",
      "\tfsmonitor=e",
      "url = x",
      "url = x \\",
      "url = x # \\",
      'url = "x \\',
      'url = "x',
      "url = x\\\\",
      "bare",
      "# c \\",
      "; c",
      "",
      " \\",
      "fsmonitor = e \\",
      "]",
      "url = x \r",
      "\\",
      'fetch = "a;b" \\',
      "\uFEFF[core]",
      "x",
    ];
    let seed = 1;
    const pick = () => pieces[(seed = (seed * 48_271) % 2_147_483_647) % pieces.length] ?? "";
    let understood = 0;
    for (let round = 0; round < 300; round++) {
      const text = Array.from({ length: 2 + (round % 6) }, pick).join(round % 5 === 0 ? "\r\n" : "\n");
      const settings = parseGitConfig(text);
      const rest = withoutSettings(settings, new Set(settings.filter(mayRunCode)));
      const read = asGitReads(rest);
      const left = read ?? [];
      expect({ text, left: left.filter((one) => mayRunCode({ ...one, raw: "", heading: "" })) }).toEqual({
        text,
        left: [],
      });
      // Nothing is overlooked in the file as it is either: one without such settings is left alone.
      const all = rest === text ? read : asGitReads(text);
      if (all === undefined) continue;
      understood++;
      const runs = all.some((one) => mayRunCode({ ...one, raw: "", heading: "" }));
      if (runs) expect({ text, found: settings.some(mayRunCode) }).toEqual({ text, found: true });
    }
    expect(understood).toBeGreaterThan(30);
  }, 300_000);
});
