import { afterAll, expect, test } from "vitest";
import { plantCanary, programsOfAsks } from "../support/ask-counts.ts";
import { openCommandGate } from "../support/command-gate.ts";

const gate = openCommandGate({ plant: plantCanary, programs: programsOfAsks, undo: true });
afterAll(() => gate[Symbol.asyncDispose]());

test.for([
  "VAR='rm -rf /'; echo \"$VAR\"",
  'FOO=bar; OTHER=$FOO; echo "$OTHER"',
  "VAR=value echo test",
  "FOO=1 cat notes.txt | wc -l",
  "env FOO=1 git branch",
  "env A=1 B=2 ls src",
])("%s does not ask, with or without a sandbox: no program reads the variable", async (line) => {
  expect(await gate.decideConfined(line)).toBe("allow");
  expect(await gate.decide(line)).toBe("allow");
});

test.for([
  "LD_PRELOAD=./x.so echo test",
  "env LD_PRELOAD=./x.so ls",
  "GIT_EXTERNAL_DIFF=./x git diff",
  "env GIT_DIR=other git status",
  "PATH=.; ls",
  "IFS=/; ls",
  "BASH_ENV=./x; bash -c ls",
  "env PAGER=./x git log",
  "LESSOPEN='|./x %s' cat notes.txt",
  "GREP_OPTIONS=-R grep foo src/app.ts",
  "HOME=. git status",
  "env XDG_DATA_HOME=. git status",
  "env https_proxy=x git branch",
  "env -i git status",
  "env -C src git status",
  "env FOO=1 make",
  "FOO=1 npm test",
  "env FOO=1 rm -rf src",
  "A=rm; $A -rf canary",
  "A=canary; rm -rf $A",
  "A='canary/f'; cat \"$A\"",
  "A=$(rm -rf canary) echo x",
  "A[$(rm -rf canary)]=1; echo x",
])(
  "%s asks without a sandbox: a variable may change what programs do, or what follows may do harm",
  async (line) => {
    expect(await gate.decide(line)).toBe("ask");
  },
);

test.for([
  "echo src/app.ts | xargs -I {} cat '{}'",
  "echo src/app.ts notes.txt | xargs wc -l",
  "echo src/app.ts | xargs cat -n",
])("%s does not ask: xargs gets what echo says", async (line) => {
  expect(await gate.decide(line)).toBe("allow");
});

test.for([
  "echo secret/.env | xargs cat",
  "echo ../outside/file | xargs -I% cat %",
  "echo canary/f | xargs rm",
  "echo -e 'src\\x2fapp.ts' | xargs cat",
  "echo 'src/*' | xargs cat",
  "echo src/app.ts | xargs -a list.txt cat",
  "echo src/app.ts | xargs -d s cat",
  "echo src/app.ts < notes.txt | tee x | xargs cat",
  "echo src/app.ts | xargs cat < notes.txt",
  "(echo src/app.ts; cat notes.txt) | xargs cat",
  "echo canary | xargs -I{} sh -c 'rm -rf {}'",
  "echo 'rm -rf canary' | bash",
])("%s asks: what the program gets is harmful, or not what echo says", async (line) => {
  expect(await gate.decide(line)).toBe("ask");
});

test.for([
  "base64 <<EOF\nrm -rf /\nEOF",
  "echo text | base64 -w0",
  "cat notes.txt | base32",
  "sha384sum notes.txt",
  "rm -i notes.txt",
  "rm -rf -i ./build",
  "rm -r --interactive=once canary",
])("%s does not ask: it only reads, or a question that nobody answers comes first", async (line) => {
  expect(await gate.decide(line)).toBe("allow");
});

test.for([
  "base64 secret/.env",
  "yes | rm -i canary/f",
  "rm -i canary/f <<< y",
  "bash -c 'rm -i canary/f' <<< y",
  "while read x; do rm -i canary/f; done < notes.txt",
  "{ cat; rm -ri canary; } < notes.txt",
  "rm -i -f canary/f",
  "rm -I canary/f",
  "rm -r --interactive=once --interactive=never canary",
  "rm -i canary/*",
  "rm -i $X",
  "exec < notes.txt; rm -i canary/f",
  "echo 'rm -i canary/f' | bash",
])("%s asks: a secret is read, or rm may have its answer", async (line) => {
  expect(await gate.decideConfined(line)).toBe("ask");
});

test.for([
  "python -c \"print('hello')\"",
  "python3 -c 'print(37 * 12 + 0.5)'",
  "python3 -c 'print(\"a\", 1)'",
  "node -e 'console.log(2 * 10)'",
  "node -p '1 + 1'",
])("%s does not ask in a sandbox: it prints texts and sums", async (line) => {
  expect(await gate.decideConfined(line)).toBe("allow");
});

test.for([
  "python3 -c 'print(open(\"secret/.env\").read())'",
  "python3 -c 'print(f\"{open(1)}\")'",
  "python3 -c 'import os'",
  'node -e \'console.log(`${require("fs").rmSync("canary")}`)\'',
  "node -p 'process.env'",
  "python3 -c \"print('a');import os\"",
  "python3 -ic 'print(1)'",
  "node -r ./x.js -e 'console.log(1)'",
])("%s asks: its code does more than to print texts and sums", async (line) => {
  expect(await gate.decideConfined(line)).toBe("ask");
});

test.for([
  "coproc echo y; rm -i canary/f 0>&63",
  "coproc echo y; { rm -i canary/f; } 0>&63",
  "rm canary/f -i",
  "rm -r canary --interactive=always",
  "exec -a rm ls -rf canary",
])("%s asks: rm is given an answer, or takes its option for a file", async (line) => {
  expect(await gate.decide(line)).toBe("ask");
  expect(await gate.decideConfined(line)).toBe("ask");
});

test.for([
  "bash <<EOF\necho \\`rm -rf canary\\`\nEOF",
  "bash <<EOF\necho \\$(rm -rf canary)\nEOF",
  "bash <<EOF\n: '\\\\'; rm -rf canary; : '\nEOF",
  "bash <<EOF\nr\\\nm -rf canary\nEOF",
  "bash <<-'EOF'\n\tcat <<'X'\n\tX\n\trm -rf canary\nEOF",
  "cat <<EOF\nx\nEO\\\nF\nrm -rf canary\nEOF",
])("%j asks: the shell changes a here-document before a shell runs it", async (line) => {
  expect(await gate.decide(line)).toBe("ask");
  expect(await gate.decideConfined(line)).toBe("ask");
});

test.for(["bash <<EOF\nls src\nEOF", "bash <<-'EOF'\n\tls src\n\tEOF"])(
  "%j does not ask: the shell that reads it only looks",
  async (line) => {
    expect(await gate.decide(line)).toBe("allow");
  },
);

test.for(["xxd -ps secret/.env", "xxd -plain secret/.env", "xxd -ps notes.txt canary/f"])(
  "%s asks: options of several letters take no value",
  async (line) => {
    expect(await gate.decideConfined(line)).toBe("ask");
  },
);

test("xxd -p -l 16 notes.txt does not ask", async () => {
  expect(await gate.decide("xxd -p -l 16 notes.txt")).toBe("allow");
});

test.for(["printf %hhn PATH; ls", "printf '%Ln' PATH; ls", "printf 'abc%-5llzn' PATH; ls"])(
  "%s asks: it sets a variable",
  async (line) => {
    expect(await gate.decide(line)).toBe("ask");
  },
);

test.for([
  "CLOUDSDK_PYTHON=./x gcloud --version",
  "CLOUDSDK_PYTHON=./x; gcloud --version",
  "env RUSTUP_TOOLCHAIN=./x rustfmt --version",
  "GROFF_TYPESETTER=x man ls",
  "ANY=path:./x node -v",
])("%s asks: programs with variables of their own may run what one names", async (line) => {
  expect(await gate.decideConfined(line)).toBe("ask");
});

test.for([
  "python3 -c 'print(1/0)'",
  "python3 -c 'print(01)'",
  "python3 -c 'print(1(2))'",
  "python3 -c 'print(\"é\")'",
  "python3 -c 'print(\"a\nb\")'",
])("%j asks: Python may run a traceback.py of the folder where it fails", async (line) => {
  expect(await gate.decideConfined(line)).toBe("ask");
});

test("Python runs unasked in a sandbox alone, whatever it prints", async () => {
  expect(await gate.decide("python3 -c 'print(1)' > /dev/full")).toBe("ask");
});
