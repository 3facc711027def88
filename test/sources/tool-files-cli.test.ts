import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/command-line.ts";
import { Installation } from "../support/installation.ts";
import { toolText } from "../support/user-tools.ts";

/** Runs a command line in a project, on streams that are no terminals. */
function haft(place: Installation, ...args: string[]) {
  return haftAt("/opt/haft", place, ...args);
}

async function haftAt(root: string, place: Installation, ...args: string[]) {
  const { exitCode, stdout: out, stderr: err } = await runCommand(args, { place, root });
  return { exitCode, out, err };
}

function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test("haft tools new writes a tool that has no problem and whose examples hold, and never writes over one", async () => {
  const place = new Installation();
  const file = join(place.folder, "agent/tools/greet.md");
  const made = await haft(place, "tools", "new", "greet");
  expect(made).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^Wrote .*greet\.md\n\nNext:\n/) });
  const text = readFileSync(file, "utf8");
  expect(await haft(place, "tools", "lint")).toMatchObject({
    exitCode: 0,
    out: "1 file, 0 errors, 0 warnings\n",
  });
  writeFileSync(file, `${text}\nMine.`);
  expect(await haft(place, "tools", "new", "greet")).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("CLI_FILE_EXISTS"),
  });
  expect(readFileSync(file, "utf8")).toBe(`${text}\nMine.`);

  const before = await haft(place, "tools", "test", "--yes");
  expect(before).toMatchObject({ exitCode: 1, out: expect.stringContaining("run `haft trust`") });
  place.home.trust(file, `${text}\nMine.`);
  const after = await haft(place, "tools", "test", "greet", "--yes");
  expect(after).toMatchObject({
    exitCode: 0,
    out: "ok      greet: greets\nok      greet: takes no option for a name\n2 of 2 examples passed\n",
  });
});

test.for(["../x", "a b", "1a", ""])(
  "haft tools new refuses the name %j, and writes nothing",
  async (name) => {
    const place = new Installation();
    expect(await haft(place, "tools", "new", name)).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining("CLI_USAGE"),
    });
    expect(existsSync(join(place.folder, "agent"))).toBe(false);
  },
);

test("haft tools lint prints each problem with file, line, column and code, and leaves with 1 for an error", async () => {
  const place = new Installation();
  const file = write(
    join(place.folder, "agent/tools/bad.md"),
    toolText("bad", "command: ls | wc\ntimout: 5"),
  );
  write(join(place.folder, "space.manifest.json"), '{\n  "id": "a"\n}');
  write(
    join(place.home.folder, "agent/tools/own.md"),
    toolText("own", "command: git checkout {{a}}\nparameters: [{ name: a, type: string }]"),
  );
  const { exitCode, out } = await haft(place, "tools", "lint");
  expect(exitCode).toBe(1);
  expect(out).toContain("agent/tools/bad.md:5:13: error COMMAND_NEEDS_SHELL Cannot use the command");
  expect(out).toContain(
    'agent/tools/bad.md:6:1: error FIELD_UNKNOWN Cannot use the field "timout": there is none of that name; did you mean "timeout"\n',
  );
  expect(out).toContain("space.manifest.json:1:1: error INVALID_MANIFEST");
  expect(out).toContain("own.md:5:23: warning COMMAND_VALUE");
  expect(out).toContain("3 files, 4 errors, 1 warning\n");
  const one = await haft(place, "tools", "lint", file, "--json");
  expect(one.exitCode).toBe(1);
  expect(JSON.parse(one.out)).toMatchObject({
    files: [file],
    problems: [
      { where: file, line: 5, column: 13, code: "COMMAND_NEEDS_SHELL", level: "error" },
      { where: file, line: 6, column: 1, code: "FIELD_UNKNOWN", level: "error" },
    ],
  });
  expect(await haft(place, "tools", "lint", join(place.folder, "none.md"))).toMatchObject({ exitCode: 3 });
  expect(await haft(place, "tools", "lint", join(place.folder, "none.json"))).toMatchObject({
    exitCode: 1,
    out: expect.stringContaining("MANIFEST_NOT_FOUND"),
  });
});

test("haft tools test runs examples through the gate, and says what came instead", async () => {
  const place = new Installation();
  write(
    join(place.home.folder, "agent/tools/say.md"),
    toolText(
      "say",
      `parameters: [{ name: text, type: string, required: true }]
shell: true
command: printf '%s\\n' {{text}}; test {{text}} != stop || exit 3
examples:
  - { name: exact, input: { text: "a; b" }, expect: { output: "a; b" } }
  - { name: pieces, input: { text: one two }, expect: { contains: [one, two], matches: "^one .*$" } }
  - { name: exit, input: { text: stop }, expect: { exitCode: 3, code: COMMAND_FAILED, contains: stop } }
  - { name: invalid, input: {}, expect: { code: TOOL_VALIDATION } }
  - { name: wrong output, input: { text: x }, expect: { output: y } }
  - { name: wrong piece, input: { text: x }, expect: { contains: y } }
  - { name: wrong match, input: { text: x }, expect: { matches: "^y" } }
  - { name: fails, input: { text: stop } }
  - { name: does not fail, input: { text: x }, expect: { exitCode: 3 } }
  - { name: fails otherwise, input: {}, expect: { exitCode: 3 } }`,
    ),
  );
  const { exitCode, out } = await haft(place, "tools", "test", "say", "--yes", "--json");
  expect(exitCode).toBe(1);
  const { passed, results } = JSON.parse(out) as {
    passed: boolean;
    results: { example: string; passed: boolean; fault?: string }[];
  };
  expect(passed).toBe(false);
  expect(results.filter((one) => one.passed).map(({ example }) => example)).toEqual([
    "exact",
    "pieces",
    "exit",
    "invalid",
  ]);
  expect(results.filter((one) => !one.passed).map(({ fault }) => fault)).toEqual([
    'the output should be "y", and is "x"',
    'the output should contain "y": x',
    "the output should match ^y: x",
    expect.stringMatching(/^it failed: .*exit code 3/s),
    "it should have failed, and gave x",
    expect.stringContaining("the exit code should be 3"),
  ]);
  expect(await haft(place, "tools", "test", "sya")).toMatchObject({
    exitCode: 3,
    err: expect.stringContaining("did you mean say"),
  });
});

test("haft tools test asks for what asks: without anybody to ask, it fails", async () => {
  const place = new Installation();
  const text = toolText(
    "careful",
    "confirm: true\ncommand: echo done\nexamples: [{ expect: { output: done } }]",
  );
  write(join(place.home.folder, "agent/tools/careful.md"), text);
  expect(await haft(place, "tools", "test")).toMatchObject({
    exitCode: 1,
    out: expect.stringContaining("TOOL_PERMISSION"),
  });
  expect(await haft(place, "tools", "test", "--yes")).toMatchObject({ exitCode: 0 });
});

test("haft call shows what a tool in TypeScript prints on standard error, behind its name, and where it threw", async () => {
  const place = new Installation();
  const text = `export default {
  name: "loud",
  description: "Prints.",
  parameters: { type: "object", properties: { fail: { type: "boolean" } } },
  annotations: { readOnly: true, openWorld: false },
  execute: async ({ fail }: { fail?: boolean }) => {
    console.log("one\\ntwo");
    if (fail === true) throw new Error("it went wrong");
    return "done";
  },
};
`;
  const file = write(join(place.folder, "agent/extensions/tools/loud.ts"), text);
  place.home.trust(file, text);
  writeFileSync(place.home.config, "sandbox: { atLeast: none }\n");
  const done = await haft(place, "call", "loud", "--yes");
  expect(done).toMatchObject({ exitCode: 0, out: "done\n" });
  expect(done.err).toContain("[loud] one\n[loud] two\n");
  const failed = await haft(place, "call", "loud", '{"fail":true}', "--yes");
  expect(failed).toMatchObject({ exitCode: 1, out: "" });
  expect(failed.err).toContain(`at ${file}:8\n`);
});

test("haft call shows what a tool in Markdown writes to standard error with its result, as bash does", async () => {
  const place = new Installation();
  const text = toolText(
    "noisy",
    "shell: true\nparameters: [{ name: fail, type: boolean }]\ncommand: echo one; echo two >&2; {{#if fail}}exit 3{{/if}}",
  );
  write(join(place.home.folder, "agent/tools/noisy.md"), text);
  expect(await haft(place, "call", "noisy", "--yes")).toMatchObject({
    exitCode: 0,
    out: "one\n[stderr]\ntwo\n",
  });
  const failed = await haft(place, "call", "noisy", '{"fail":true}', "--yes", "--exit-code");
  expect(failed.exitCode).toBe(3);
  // Each line once, on standard output as it came; the message does not repeat it.
  expect(failed.out.split("\n").sort()).toEqual(["", "one", "two"]);
  expect(failed.err).toBe('haft: "noisy" failed with exit code 3 [COMMAND_FAILED]\n');
});

test("haft tools new --ts writes a tool that the real tsc checks without anything installed, that lints, runs and prints", async () => {
  const place = new Installation();
  writeFileSync(place.home.config, "sandbox: { atLeast: none }\n");
  const folder = join(place.folder, "agent/extensions");
  const file = join(folder, "tools/greet.ts");
  const root = process.cwd();
  const made = await haftAt(root, place, "tools", "new", "greet", "--ts");
  expect(made).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^Wrote .*greet\.ts\n\nNext:\n/) });
  const tsc = () =>
    spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], {
      encoding: "utf8",
    });
  expect(tsc()).toMatchObject({ status: 0, stdout: "" });
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("loud ?", "loud.er ?"));
  expect(tsc().stdout).toContain("Property 'er' does not exist on type 'boolean'");
  writeFileSync(file, text);

  expect(await haft(place, "tools", "lint", file)).toMatchObject({
    exitCode: 0,
    out: "1 file, 0 errors, 0 warnings\n",
  });
  expect(await haft(place, "tools", "lint")).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("SOURCE_NOT_TRUSTED"),
  });
  expect(await haft(place, "tools", "test")).toMatchObject({
    exitCode: 1,
    out: expect.stringMatching(
      /^FAILED  greet: not in use \(agent\/extensions\/tools\/greet\.ts\)\n.*run `haft trust`/,
    ),
  });
  place.home.trust(file, text);
  expect(await haft(place, "tools", "test", "greet", "--yes")).toMatchObject({
    exitCode: 0,
    out: "ok      greet: greets\n1 of 1 examples passed\n",
  });
  const called = await haft(place, "call", "greet", '{"who":"Ada"}', "--yes");
  expect(called).toMatchObject({ exitCode: 0, out: "Hello, Ada!\n" });
  expect(called.err).toContain("[greet] greeting Ada\n");
  expect(await haftAt(root, place, "tools", "new", "greet", "--ts")).toMatchObject({
    err: expect.stringContaining("CLI_FILE_EXISTS"),
  });
});

const twoTools = `const tool = (name: string) => ({
  name,
  description: "Says it.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { readOnly: true, openWorld: false },
  execute: ({ text }: { text: string }) => {
    if (text === "stop") throw Object.assign(new Error("no more"), { code: "SAID_ENOUGH" });
    return name + " " + text;
  },
});
export const meta = {
  examples: [
    { name: "exact", tool: "say", input: { text: "a" }, expect: { output: "say a" } },
    { name: "pieces", tool: "shout", input: { text: "b" }, expect: { contains: "out", matches: "^shout" } },
    { name: "refuses", tool: "say", input: { text: "stop" }, expect: { code: "SAID_ENOUGH" } },
    { name: "invalid", tool: "say", expect: { code: "TOOL_VALIDATION" } },
    { name: "wrong", tool: "say", input: { text: "a" }, expect: { output: "b" } },
    { name: "throws", tool: "shout", input: { text: "stop" } },
  ],
};
export default [tool("say"), tool("shout")];
`;

test("haft tools test runs the examples of tools in TypeScript, and says of a failed one where it stands and where it threw", async () => {
  const place = new Installation();
  writeFileSync(place.home.config, "sandbox: { atLeast: none }\n");
  const file = write(join(place.home.folder, "agent/extensions/tools/two.ts"), twoTools);
  const json = await haft(place, "tools", "test", "--yes", "--json");
  expect(json.exitCode).toBe(1);
  expect(JSON.parse(json.out)).toEqual({
    passed: false,
    results: [
      { tool: "say", example: "exact", where: file, line: 13, passed: true },
      { tool: "say", example: "refuses", where: file, line: 15, passed: true },
      { tool: "say", example: "invalid", where: file, line: 16, passed: true },
      {
        tool: "say",
        example: "wrong",
        where: file,
        line: 17,
        passed: false,
        fault: 'the output should be "b", and is "say a"',
      },
      { tool: "shout", example: "pieces", where: file, line: 14, passed: true },
      {
        tool: "shout",
        example: "throws",
        where: file,
        line: 18,
        passed: false,
        fault: expect.stringContaining(`no more [SAID_ENOUGH] at ${file}:7`),
      },
    ],
  });
  const one = await haft(place, "tools", "test", "shout", "--yes");
  expect(one.out).toMatch(/^ok      shout: pieces\nFAILED  shout: throws \(.*two\.ts:18\)\n/);
  expect(await haft(place, "tools", "test", "shuot")).toMatchObject({
    exitCode: 3,
    err: expect.stringContaining("did you mean shout"),
  });
});

test("an example in TypeScript that can't be read fails haft tools test and haft tools lint, with file and line; the tool is in use", async () => {
  const place = new Installation();
  writeFileSync(place.home.config, "sandbox: { atLeast: none }\n");
  const text = twoTools
    .replace('tool: "shout", input: { text: "stop" }', "inputs: {}")
    .replace('output: "b"', "output: 1");
  const file = write(join(place.home.folder, "agent/extensions/tools/two.ts"), text);
  const faults = [
    {
      line: 17,
      message: 'Cannot use the field "examples.4.expect.output": it must be text; put it in quotes',
    },
    { line: 18, message: expect.stringContaining('"examples.5.tool": it is required') },
    {
      line: 18,
      message: expect.stringContaining('"inputs": there is none of that name; did you mean "input"'),
    },
  ];
  const linted = await haft(place, "tools", "lint", "--json");
  expect(linted.exitCode).toBe(1);
  expect(JSON.parse(linted.out)).toMatchObject({ problems: faults });
  const tested = await haft(place, "tools", "test", "say", "--yes");
  expect(tested).toMatchObject({
    exitCode: 1,
    out: expect.stringMatching(
      /^FAILED  say: examples that can not be read \(.*two\.ts:17\)\n +Cannot use the field/,
    ),
  });
  expect(await haft(place, "call", "say", '{"text":"a"}', "--yes")).toMatchObject({ out: "say a\n" });
  write(file, text.replace("export default [", "throw new Error('early');\nexport default ["));
  expect(await haft(place, "tools", "test", "two")).toMatchObject({
    exitCode: 1,
    out: expect.stringMatching(/^FAILED  two: not in use \(.*two\.ts:21\)\n +Cannot load "two": early/),
  });
});

test("haft tools lint says of files in TypeScript what is wrong, with file and line, and gives them nothing", async () => {
  const place = new Installation();
  writeFileSync(place.home.config, "sandbox: { atLeast: none }\n");
  const tool = (fields: string) =>
    `export default {\n  name: "one",\n  description: "One.",\n  ${fields}\n  execute: () => 1,\n};\n`;
  const faults: Readonly<Record<string, readonly [text: string, line: number, message: RegExp]>> = {
    "nothing.ts": ["export const tool = 1;\n", 1, /default export is no tool/],
    "syntax.ts": ["const a = 1;\nconst = 2;\nexport default a;\n", 2, /Cannot load "faults"/],
    "enum.ts": ["const a = 1;\nenum Kind { A }\nexport default Kind;\n", 2, /enum/],
    "throws.ts": ["const a = 1;\n\nthrow new Error(`early ${a}`);\n", 3, /early 1/],
    "schema.ts": [tool('parameters: { type: "objekt" },'), 1, /objekt|type/],
    "absent.ts": [tool(""), 1, /has no parameters/],
    "package.ts": ['import "left-pad";\nexport default 1;\n', 1, /left-pad/],
  };
  for (const [name, [text]] of Object.entries(faults))
    write(join(place.folder, "agent/extensions/tools/faults", name), text);
  const files = Object.keys(faults).map((name) => join(place.folder, "agent/extensions/tools/faults", name));
  const { exitCode, out } = await haft(place, "tools", "lint", ...files, "--json");
  expect(exitCode).toBe(1);
  const { problems } = JSON.parse(out) as {
    problems: { where: string; line: number; message: string }[];
  };
  for (const [name, [, line, message]] of Object.entries(faults))
    expect(problems.filter(({ where }) => where.endsWith(`/${name}`))).toEqual([
      expect.objectContaining({ line, level: "error", message: expect.stringMatching(message) }),
    ]);
  expect(await haft(place, "tools", "lint", join(place.folder, "other.ts"))).toMatchObject({
    exitCode: 3,
    err: expect.stringContaining("it is no file of an extension"),
  });
});

test("haft tools lint reads a file in TypeScript that nobody trusts, without running it, and names one that is no tool where it lies", async () => {
  const place = new Installation();
  writeFileSync(place.home.config, "sandbox: { atLeast: none }\n");
  const at = (name: string) => join(place.folder, "agent/extensions", name);
  write(at("tools/broken.ts"), "const a = 1;\nconst = 2;\n");
  write(at("tools/kind.ts"), "enum Kind { A }\nexport default Kind;\n");
  write(at("beside.ts"), "export default {};\n");
  write(at("weather/index.ts"), "export default {};\n");
  for (const name of ["types.d.ts", "_notes.ts", "vitest.config.ts", "lib/units.ts"]) write(at(name), "1;\n");
  const { exitCode, out, err } = await haft(place, "tools", "lint", "--json");
  const { problems } = JSON.parse(out) as { problems: { where: string; code: string; line?: number }[] };
  const found = problems
    .filter(({ code }) => code !== "SOURCE_NOT_TRUSTED")
    .map(({ where, code, line }) => [where, code, line]);
  expect([exitCode, err, found]).toEqual([
    1,
    "",
    [
      [at("beside.ts"), "SOURCE_MISPLACED", undefined],
      [at("weather/index.ts"), "SOURCE_MISPLACED", undefined],
      [at("tools/broken.ts"), "EXTENSION_LOAD", 2],
      [at("tools/kind.ts"), "EXTENSION_LOAD", 1],
    ],
  ]);
  expect((await haft(place, "doctor")).out).toContain("agent/extensions/beside.ts");
  expect(await haft(place, "tools", "lint", at("beside.ts"))).toMatchObject({
    exitCode: 3,
    err: expect.stringContaining("name one in agent/extensions/tools"),
  });
});

test("haft call names the file of a tool that nobody trusts once", async () => {
  const place = new Installation();
  const file = join(place.folder, "agent/tools/say.md");
  write(file, toolText("say", "command: ls"));
  const { exitCode, err } = await haft(place, "call", "say");
  expect(exitCode).toBe(3);
  expect(err.split(file)).toHaveLength(2);
});
