import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openCommandGate } from "../support/command-gate.ts";

/** They write what their line does not name, or run what it does not show. */
const own =
  "script as ld ld.gold lld dwp cc c89 c99 x86_64-linux-gnu-gcc-13 clang-18 rustc tcc cscope ctags ptar split csplit gcov " +
  "gprof unzip cpio patch prove make-first-existing-target perl5.36-x86_64-linux-gnu python3.11 gunzip pydoc3 bison yacc " +
  "xgettext msgfmt openssl nasm aclocal h2ph unbuffer tee";
const clients = "az gcloud gh helm kubectl mysql vercel fly terragrunt pnpm yarn";
const installed = ["lookalike", ...own.split(" "), ...clients.split(" ")];

/** A work tree where git keeps `notes.txt`, and what `tracks` names. */
function openRepository(...tracks: readonly string[]) {
  return openCommandGate({
    programs: installed,
    plant(folder) {
      for (const path of ["q", "odd"]) mkdirSync(join(folder, path));
      for (const path of ["data2.gz", "foo.py", "a.js", "b.js", "odd/-o.js", "odd/k.pem"])
        writeFileSync(join(folder, path), "x\n");
      symlinkSync("../secret/.env", join(folder, "odd/l.txt"));
      symlinkSync("notes.txt", join(folder, "link.md"));
      const git = (...words: readonly string[]) =>
        execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=b@example.com", ...words]);
      git("init", "-q");
      git("add", "-f", "notes.txt", ...tracks);
      git("commit", "-qm", "x");
    },
  });
}

const gate = openRepository();
const leaky = openRepository("secret/.env");
afterAll(() => Promise.all([gate, leaky].map((one) => one[Symbol.asyncDispose]())));

test.for([
  ["a substitution glued to a word", "echo 1<(rm -f notes.txt)"],
  ["one with a descriptor of a variable", "ls {fd}<(rm -f notes.txt)"],
  ["a break in an operator", "cat <<\\\n-END\nEND\nrm -f notes.txt\n-"],
  ["a break behind a dollar", "x='rm -f notes.txt'; $\\\nx"],
  ["a break in arithmetic", "x='a[$(rm -f notes.txt)]'; echo $\\\n[x]"],
  ["several options of set", "set -o history -o histexpand -o pipefail\necho rm -f notes.txt\n!!:1-3"],
  ["a format that sets a variable", "printf '%s%n' xx PATH; ls"],
  ["a dash before a shell's script", "bash -c - 'rm -f notes.txt'"],
  ["an option with a plus", "sh -c +e 'rm -f notes.txt'"],
  ["several options of a shell", "bash -o keyword -o pipefail -c 'ls PATH=2'"],
  ["a variable of any name", "env %=x pytest"],
  ["an environment that is emptied", "env - pytest"],
  ["an optional value that is a file, of od", "od -c -w secret/.env"],
  ["an optional value that is a file, of diff", "diff --context secret/.env notes.txt"],
  ["a pattern of git's own", "git add 'secret/.e*v'"],
  ["a secret in git's index", "git show :0:secret/.env"],
  ["a branch that is made elsewhere", "git switch -cq old"],
  ["a branch that is checked out elsewhere", "git checkout -bq old"],
] as const)("%s asks, in a sandbox too", async ([, command]) => {
  expect(await gate.decide(command)).not.toBe("allow");
  expect(await gate.decideConfined(command)).not.toBe("allow");
});

test.for(own.split(" "))("%s asks: nobody knows what it writes or runs", async (program) => {
  expect(await gate.decideConfined(program)).toBe("ask");
  expect(await gate.decideConfined(`${program} new`)).toBe("ask");
});

test("a name that no program has does nothing, whatever it is like", async () => {
  expect(await gate.decideConfined("lookalikee new")).toBe("allow");
  expect(await gate.decideConfined("lookalike new")).toBe("ask");
});

test.for([
  "wget https://example.com/notes.txt",
  "curl -OJ https://example.com/x",
  "curl -K new",
  "gh repo clone a/b",
  "gh run download",
  "vercel env pull",
  "fly config save list",
  "terragrunt state list",
  "pnpm ls",
  "yarn --version",
  "pytest --version",
  "gcloud sql connect list",
  "gcloud compute copy-files list",
  "az aks command invoke list",
  "kubectl get pods --profile=cpu",
  "kubectl debug x --dry-run=client",
  "helm install a b --post-renderer prove --dry-run",
  "gh pr view -cw",
  "dd of=q/notes.txt/",
  "dd of=q/../notes.txt",
  "dd of=./././notes.txt",
  "mysql -e 'select 1' -e 'system make'",
  "ip netns exec x prove",
  "dd if=new of=notes.txt",
])("%s asks", async (command) => {
  expect(await gate.decideConfined(command)).toBe("ask");
});

test.for([
  "mkdir -p refs objects && touch HEAD && git status",
  "mkdir -p n/refs n/objects; echo 'ref: refs/heads/m' >> n/HEAD; cd n; git log",
  "dd if=new of=HEAD; git status",
  "touch n/head && cd n && git status",
])("git asks where the line makes it a repository: %s", async (command) => {
  expect(await gate.decideConfined(command)).toBe("ask");
});

test("git runs unasked after what makes none", async () => {
  expect(await gate.decideConfined("mkdir n && touch n/a && git add n/a && git status")).toBe("allow");
});

test.for([
  "git diff",
  "git diff HEAD",
  "git diff --cached",
  "git diff HEAD^",
  "git show",
  "git show HEAD HEAD:notes.txt",
  "git stash show -p",
  "git status -v",
  "git commit --dry-run -v",
  "git add -p notes.txt",
])("%s asks where git keeps a secret, and nowhere else", async (command) => {
  expect(await gate.decideConfined(command)).toBe("allow");
  expect(await leaky.decideConfined(command)).toBe("ask");
});

test.for(["--index-version=4", "--split-index"])(
  "git diff asks where the index can't be read: %s",
  async (form) => {
    await using other = openRepository("a.js");
    execFileSync("git", ["-C", other.folder, "update-index", form]);
    expect(await other.decideConfined("git diff")).toBe("ask");
    expect(await other.decideConfined("git diff a.js")).toBe("allow");
  },
);

test.for([
  "git log -p",
  "git log -p -- secret",
  "git log -p --follow notes.txt",
  "git log -L1,5:secret/.env",
  "git show -L1,5:secret/.env",
  "git whatchanged",
  "git show --stat abc123",
  "git show --all",
  "git show :/fix",
  "git show :!x",
  "git show abc123 -- notes.txt",
  "git diff ab12cd cd34ef",
  "git diff HEAD~5",
  "git diff HEAD:secret",
  "git diff HEAD~5:notes.txt",
  "git stash list -p",
  "git for-each-ref '--format=%(raw)'",
  "git blame secret/.env",
])("%s asks: it may show what git once kept", async (command) => {
  expect(await gate.decideConfined(command)).toBe("ask");
});

test.for([
  "git diff notes.txt",
  "git diff HEAD -- notes.txt",
  "git diff --stat main",
  "git log -p -- notes.txt",
  "git log -L1,2:notes.txt",
  "git show HEAD:notes.txt",
  "git diff HEAD:notes.txt :notes.txt",
  "git show --name-only",
])("%s runs unasked, whatever git keeps beside", async (command) => {
  expect(await leaky.decideConfined(command)).toBe("allow");
});

test.for([
  "wc -l *.js",
  "wc -l *s",
  "cat l*",
  "cat secret/*",
  "grep -n x *.js",
  "git status && head -3 ./*.js",
])("%s only reads files that are no secret", async (command) => {
  expect(await gate.decideConfined(command)).toBe("allow");
});

test.for([
  "cat secret/.e*",
  "cat odd/*.pem",
  "cat odd/[k]*",
  "cat odd/*.txt",
  "cd odd && sort *.js",
  "uniq *.js",
  "tree -o *.js",
  "touch -- -o.js && sort *.js",
  "grep -rn x q/*",
  "cat ../*.x",
  "cat way-out/*",
])("%s asks: its pattern may find what no one would read unasked", async (command) => {
  expect(await gate.decideConfined(command)).toBe("ask");
});
