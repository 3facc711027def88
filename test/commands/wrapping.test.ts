import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { openCommandGate } from "../support/command-gate.ts";

const gate = openCommandGate();
afterAll(() => gate[Symbol.asyncDispose]());

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Lines that run a line. */
const compounds: readonly ((line: string) => string)[] = [
  (line) => `true && ${line}`,
  (line) => `false || ${line}`,
  (line) => `${line}; ls`,
  (line) => `ls | { ${line}\n}`,
  (line) => `( ${line}\n)`,
  (line) => `{ ${line}\n}`,
  (line) => `if true; then ${line}\nfi`,
  (line) => `for f in a b; do ${line}\ndone`,
  (line) => `until ${line}\ndo break; done`,
  (line) => `case a in *) ${line}\nesac`,
  (line) => `f() { ${line}\n}; f`,
  (line) => `echo $( ${line}\n)`,
  (line) => `echo "a $( ${line}\n) b"`,
  (line) => `cat <( ${line}\n)`,
  (line) => `x=\${y:-$( ${line}\n)}`,
  (line) => `bash -c ${quoted(line)}`,
  (line) => `sh <<'END'\n${line}\nEND`,
  (line) => `bash <<< ${quoted(line)}`,
  (line) => `eval ${quoted(line)}`,
  (line) => `trap ${quoted(line)} EXIT`,
  (line) => `timeout 5 bash -c ${quoted(line)}`,
  (line) => `sudo -n sh -c ${quoted(line)}`,
  (line) => `find . -exec sh -c ${quoted(line)} \\;`,
  (line) => `xargs sh -c ${quoted(line)} < notes.txt`,
  (line) => `env A=1 bash -c ${quoted(line)}`,
  (line) => `su -c ${quoted(line)}`,
  (line) => `time { ${line}\n}`,
  (line) => `coproc { ${line}\n}`,
];

const wrappers = [
  "nohup",
  "nice -n 3",
  "setsid",
  "stdbuf -oL",
  "command",
  "exec",
  "sudo",
  "env",
  "env B=2",
  "timeout 9",
  "busybox",
  "/usr/bin/env",
  "ionice -c2",
  "C=3",
  "time",
  "!",
];

const spelling = fc.constantFrom<(name: string) => string>(
  (name) => name,
  (name) => `'${name}'`,
  (name) => `"${name}"`,
  (name) => `${name.charAt(0)}\\${name.slice(1)}`,
  (name) => `${name.charAt(0)}''${name.slice(1)}`,
  (name) => `/bin/${name}`,
  (name) => `${name.charAt(0)}\\\n${name.slice(1)}`,
  (name) => `$'${Array.from(name, (char) => `\\x${char.charCodeAt(0).toString(16)}`).join("")}'`,
);

const wrapped = fc
  .record({
    spell: spelling,
    starters: fc.array(fc.constantFrom(...wrappers), { maxLength: 3 }),
    around: fc.array(fc.constantFrom(...compounds), { maxLength: 4 }),
  })
  .map(({ spell, starters, around }) => {
    // Words of the shell's own come before programs.
    const own = starters.filter((starter) => /^(!|time|C=3)$/.test(starter));
    const programs = starters.filter((starter) => !own.includes(starter));
    const words = ["!", "time", "C=3"].filter((word) => own.includes(word));
    const command = [...words, ...programs, spell("rm"), "-rf", "x"].join(" ");
    return around.reduce((line, wrap) => wrap(line), command);
  });

test("a denied command stays denied in any nesting of compounds, wrappers and quotes", async () => {
  await fc.assert(
    fc.asyncProperty(wrapped, async (line) => {
      const rules = [
        { decision: "allow", tool: "bash" } as const,
        { decision: "deny", target: "rm *" } as const,
      ];
      expect(await gate.decide(line, rules)).toBe("deny");
    }),
    { numRuns: 2000, seed: 3 },
  );
});

test("what no rule allows asks in any nesting", async () => {
  await fc.assert(
    fc.asyncProperty(wrapped, async (line) => {
      expect(await gate.decide(line, [{ decision: "allow", tool: "bash", target: "ls**" }])).toBe("ask");
    }),
    { numRuns: 500, seed: 4 },
  );
});
