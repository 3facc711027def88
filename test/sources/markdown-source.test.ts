import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defineTool, type Tool, ToolContent } from "../../src/kernel/index.ts";
import { HeldDeadline } from "../support/held-deadline.ts";
import { answering } from "../support/questions.ts";
import { sandboxHere } from "../support/sandbox-levels.ts";
import { toolText, UserTools, usualRules } from "../support/user-tools.ts";

const text = "parameters: [{ name: text, type: string, required: true }]\n";

describe("files", () => {
  test("a file that is broken keeps its last good version, and says what is wrong and where", async () => {
    const tools = new UserTools();
    await tools.add("say", "command: echo one");
    await tools.add("say", "command: echo two | cat");
    expect(tools.markdown.problems()).toMatchObject([
      {
        where: join(tools.folder, "agent/tools/say.md"),
        line: 5,
        column: 19,
        code: "COMMAND_NEEDS_SHELL",
        message: expect.stringContaining("until then it stays as it was before"),
      },
    ]);
    expect((await tools.call("say")).text).toBe("one");
    await tools.add("say", "command: echo three");
    expect(tools.markdown.problems()).toEqual([]);
    expect((await tools.call("say")).text).toBe("three");
    rmSync(join(tools.folder, "agent/tools/say.md"));
    await tools.markdown.reload();
    expect(tools.registry.has("say")).toBe(false);
  });

  test("a text parameter takes a number, which is held against its pattern as text", async () => {
    const tools = new UserTools();
    const issue = 'parameters: [{ name: issue, type: string, required: true, pattern: "[0-9]{1,4}" }]\n';
    await tools.add("show", `${issue}command: echo {{issue}}`);
    expect(await tools.call("show", { issue: 12 })).toMatchObject({
      text: "12",
      notes: ["issue: read the number 12 as text"],
    });
    expect(await tools.call("show", { issue: 123_456 })).toMatchObject({ code: "TOOL_VALIDATION" });
  });

  test("nobody is asked about a command whose folder is not there", async () => {
    const approver = answering({ approved: true, by: "ann" });
    const rules = [...usualRules, { decision: "ask", effect: "run" }] as const;
    const tools = new UserTools({ rules, approver });
    await tools.add("build", "command: touch x\ncwd: none");
    expect(await tools.call("build")).toMatchObject({ code: "PROCESS_FOLDER" });
    expect(approver.asked).toEqual([]);
  });

  test("where it watches, changes come in by themselves", async () => {
    const tools = new UserTools({ services: { watch: true } });
    await tools.markdown.start();
    const changed = new Promise<void>((resolve) => {
      tools.registry.onChange(() => tools.registry.has("later") && resolve());
    });
    tools.write("agent/tools/later.md", toolText("later", "command: echo came"));
    await changed;
    expect((await tools.call("later")).text).toBe("came");
  });

  test("a file that its owner has not accepted is no tool, and one that was changed stays as it was", async () => {
    let accepted = false;
    const tools = new UserTools({
      services: { accepts: ({ text }) => accepted || text.includes("echo good") },
    });
    await tools.add("say", "command: echo bad");
    expect(tools.registry.has("say")).toBe(false);
    expect(tools.markdown.problems()).toMatchObject([
      { code: "SOURCE_NOT_TRUSTED", message: expect.stringContaining("haft trust") },
    ]);
    await tools.add("say", "command: echo good");
    await tools.add("say", "command: echo bad");
    expect((await tools.call("say")).text).toBe("good");
    accepted = true;
    await tools.markdown.reload();
    expect((await tools.call("say")).text).toBe("bad");
  });

  test("a name that is taken is passed over, unless the tool says `override`", async () => {
    const tools = new UserTools();
    tools.registry.register({
      name: "say",
      description: "x",
      category: "custom",
      parameters: { type: "object" },
      annotations: {},
      version: "1",
      execute: () => "built in",
    });
    await tools.add("say", "command: echo mine");
    expect((await tools.call("say")).text).toBe("built in");
    expect(tools.markdown.problems()).toMatchObject([{ code: "SOURCE_NAME_TAKEN" }]);
    await tools.add("say", "override: true\ncommand: echo mine");
    expect((await tools.call("say")).text).toBe("mine");
  });

  test("of two files with one id, the first of the first folder is the tool", async () => {
    const tools = new UserTools();
    tools.write("agent/tools/a.md", toolText("say", "command: echo first"));
    tools.write("agent/tools/b.md", toolText("say", "command: echo second"));
    await tools.markdown.start();
    expect((await tools.call("say")).text).toBe("first");
    expect(tools.markdown.problems()).toMatchObject([
      { where: expect.stringContaining("b.md"), code: "SOURCE_NAME_TAKEN" },
    ]);
  });

  test("a file that is too large, or no text, is passed over and said", async () => {
    const tools = new UserTools();
    tools.write("agent/tools/large.md", toolText("large", "command: ls", "x".repeat(300_000)));
    await tools.markdown.start();
    expect(tools.markdown.problems()).toMatchObject([
      { code: "SOURCE_UNREADABLE", message: expect.stringContaining("are allowed") },
    ]);
  });

  test("a short page is part of the description, a long one is read when it is wanted", async () => {
    const tools = new UserTools({ rules: usualRules });
    await tools.add("short", "command: ls", "Mind the gap.");
    expect(tools.registry.has("tool_docs")).toBe(false);
    await tools.add("long", "command: ls", `# Long\n${"word ".repeat(300)}`);
    expect(tools.registry.get("short")?.description).toBe("Does it.\n\nMind the gap.");
    expect(tools.registry.get("long")?.description).toBe(
      'Does it.\n\nMore about it: tool_docs {"name":"long"}',
    );
    expect((await tools.call("tool_docs", { name: "long" })).text).toContain("word word");
    expect(await tools.call("tool_docs", { name: "lon" })).toMatchObject({
      error: expect.stringContaining("did you mean long"),
    });
  });
});

describe("what a call does", () => {
  test("an exit code other than 0 is a failure, with what the command said last", async () => {
    const tools = new UserTools();
    await tools.add("fail", "shell: true\ncommand: seq 5000; echo why >&2; exit 3");
    const result = await tools.call("fail");
    expect(result).toMatchObject({ success: false, code: "COMMAND_FAILED", details: { exitCode: 3 } });
    expect(result.text).toContain('"fail" failed with exit code 3');
    expect(result.text).toContain("[stderr]\nwhy\n[exit code 3]");
  });

  test("a failure has the command's output once", async () => {
    const tools = new UserTools();
    await tools.add("fail", "shell: true\ncommand: echo once; echo why >&2; exit 3");
    const { text } = await tools.call("fail");
    expect(text).toBe('"fail" failed with exit code 3:\nonce\n[stderr]\nwhy\n[exit code 3] [COMMAND_FAILED]');
  });

  test("a failure has a long output once: its end in the message, the rest after it", async () => {
    const tools = new UserTools();
    await tools.add("fail", "shell: true\ncommand: seq -f 'row %g' 300; echo why >&2; exit 3");
    const result = await tools.call("fail");
    expect(result).toMatchObject({ success: false, error: expect.stringMatching(/:\n…\nrow [^]*row 300/) });
    const rows = result.text.match(/^row \d+$/gm) ?? [];
    expect(rows.length).toBe(300);
    expect(new Set(rows).size).toBe(300);
    expect(result.text).toContain("[COMMAND_FAILED]\nOutput before that:\nrow 1\n");
  });

  test("a command is stopped at its own deadline, in seconds, and what it said is kept", async () => {
    const deadline = new HeldDeadline(500);
    const tools = new UserTools({ clock: deadline.clock });
    await tools.add("slow", "timeout: 0.5\nshell: true\ncommand: echo begun; sleep 600");
    expect(tools.registry.get("slow")?.timeoutMs).toBe(500);
    const onUpdate = deadline.onceSaid("begun\n");
    expect(await tools.call("slow", {}, { onUpdate })).toMatchObject({
      success: false,
      code: "TOOL_TIMEOUT",
      partial: "begun\n",
    });
  });

  test("enum, pattern, default, type and required are enforced, and patterns are anchored", async () => {
    const tools = new UserTools();
    await tools.add(
      "check",
      `parameters:
  - { name: level, type: string, enum: [low, high], default: low }
  - { name: tag, type: string, pattern: "v[0-9]+", required: true }
  - { name: steps, type: number }
  - { name: all, type: array, pattern: "[a-z]+" }
command: printf '%s,' {{level}} {{tag}} {{steps}} -- {{all}}`,
    );
    expect((await tools.call("check", { tag: "v1" })).text).toBe("low,v1,--,");
    expect((await tools.call("check", { tag: "v1", steps: 2, all: ["a", "b"], level: "high" })).text).toBe(
      "high,v1,2,--,a,b,",
    );
    for (const wrong of [
      {},
      { tag: "xv1" },
      { tag: "v1\n" },
      { tag: "v1", level: "mid" },
      { tag: "v1", steps: "many" },
      { tag: "v1", all: ["A"] },
      { tag: "v1", other: 1 },
    ])
      expect(await tools.call("check", wrong)).toMatchObject({ code: "TOOL_VALIDATION" });
  });

  test("commands run in the project, in the home folder, or where `cwd` says", async () => {
    const tools = new UserTools();
    tools.write("sub/file", "");
    await tools.add("here", "command: pwd");
    await tools.add("there", "cwd: sub\ncommand: pwd");
    await tools.add("outside", "cwd: /\ncommand: pwd");
    expect((await tools.call("here")).text).toBe(tools.folder);
    expect((await tools.call("there")).text).toBe(join(tools.folder, "sub"));
    expect((await tools.call("outside")).text).toBe("/");
  });

  test("policy sees the line with its values, and a rule that denies it holds", async () => {
    const approver = answering({ approved: false, by: "ada" }, "ada");
    const tools = new UserTools({
      approver,
      rules: [...usualRules, { decision: "deny", target: "git push **" }],
    });
    await tools.add("git", `${text}command: git {{text}} --x 'a b'`);
    await tools.add("clean", `${text}shell: true\ncommand: cd sub && rm -rf {{text}}`);
    expect(await tools.call("git", { text: "push" })).toMatchObject({
      code: "TOOL_PERMISSION",
      error: expect.stringContaining("a rule forbids"),
    });
    await tools.call("clean", { text: "x y" });
    const asked = approver.asked.flatMap(({ effects }) => effects).filter(({ kind }) => kind === "run");
    expect(asked).toMatchObject(
      [{ target: "cd sub" }, { target: "rm -rf 'x y'", risk: expect.stringContaining("high risk") }].slice(
        -asked.length,
      ),
    );
    expect(asked.every((effect) => !("argument" in effect))).toBe(true);
  });

  test("a variable that changes what runs is judged with the command", async () => {
    const tools = new UserTools({ rules: usualRules });
    await tools.add("plain", "command: cat notes");
    await tools.add("changed", 'environment: { PATH: "./bin" }\ncommand: cat notes');
    tools.write("notes", "text");
    expect((await tools.call("plain")).text).toBe("text");
    expect(await tools.call("changed")).toMatchObject({ code: "TOOL_PERMISSION" });
  });

  test("a program of a name that a shell reads otherwise is judged as that program", async () => {
    const tools = new UserTools();
    await tools.add("odd", "command: if x");
    await tools.add("set", "parameters: [{ name: p, type: string, required: true }]\ncommand: '{{p}} cat x'");
    const runs = async (name: string, params = {}) =>
      (await tools.executor.foresee(name, params, { allowedPaths: [tools.folder] })).judgements.flatMap(
        ({ effect }) => (effect?.kind === "run" ? effect.target : []),
      );
    expect(await runs("odd")).toEqual(["if x"]);
    expect(await runs("set", { p: "A=1" })).toEqual([expect.stringMatching(/^A=1 cat x$|^'A=1' cat x$/)]);
  });
});

describe("the environment", () => {
  test("a tool gets its variables and none of ours that it does not name", async () => {
    const tools = new UserTools({ variables: { DB_URL: "db", OTHER: "other", DB_PASSWORD: "pass-word-9" } });
    await tools.add(
      "show",
      'shell: true\nenvironment: { URL: "<${DB_URL}>", MODE: "${MODE:-test}" }\ncommand: echo "$URL $MODE $OTHER$DB_URL$DB_PASSWORD."',
    );
    expect((await tools.call("show")).text).toBe("<db> test .");
  });

  test.for([
    { value: "${DB_PASSWORD}", code: "ENVIRONMENT_HIDDEN" },
    { value: "${HAFT_PASSPHRASE}", code: "ENVIRONMENT_HIDDEN" },
    { value: "${NOT_THERE}", code: "COMMAND_VARIABLE" },
    { value: "secret:NOT_THERE", code: "SECRET_NOT_FOUND" },
  ])("a tool that names $value fails with $code", async ({ value, code }) => {
    const tools = new UserTools({
      variables: { DB_PASSWORD: "pass-word-9", HAFT_PASSPHRASE: "pass-phrase-9" },
    });
    await tools.add("show", `environment: { X: "${value}" }\ncommand: env`);
    expect(await tools.call("show")).toMatchObject({ success: false, code });
  });

  test("a secret's name is enough where the owner lists the variable", async () => {
    const tools = new UserTools({ variables: { DB_PASSWORD: "pass-word-9" }, readable: ["DB_PASSWORD"] });
    await tools.add("show", 'environment: { X: "${DB_PASSWORD}" }\nshell: true\ncommand: printf %s "${#X}"');
    expect((await tools.call("show")).text).toBe("11");
  });

  test("a stored secret reaches its own process alone, and no output", async () => {
    const tools = new UserTools({ secrets: { TOKEN: "very-secret-token" } });
    await tools.add("with", 'environment: { T: "secret:TOKEN" }\nshell: true\ncommand: echo "${#T} $T"');
    await tools.add("without", 'shell: true\ncommand: echo "${#T} $T"');
    const shown = await tools.call("with");
    expect(shown.text).toMatch(/^17 (?!.*very-secret-token)/);
    expect((await tools.call("without")).text).toBe("0 ");
    expect(tools.registry.get("with")?.secrets).toEqual(["TOKEN"]);
    expect(tools.registry.get("without")?.secrets).toBeUndefined();
  });

  test("what a question shows of a tool's variables is never their value", async () => {
    const approver = answering({ approved: false, by: "ada" }, "ada");
    const tools = new UserTools({ approver, rules: usualRules, variables: { BIN: "/opt/hidden/bin" } });
    await tools.add("show", 'environment: { PATH: "${BIN}" }\ncommand: make it');
    await tools.call("show");
    expect(JSON.stringify(approver.asked)).toContain("PATH=");
    expect(JSON.stringify(approver.asked)).not.toContain("/opt/hidden");
  });
});

describe("other work", () => {
  test("`mcp: true` calls the server's tool, by its name there, and asks as an unknown tool does", async () => {
    const calls: unknown[] = [];
    const mcpTool = async (server: string, name: string): Promise<Tool | undefined> => ({
      ...defineTool({
        name: "made",
        description: "x",
        parameters: { type: "object", properties: { text: { type: "string", maxLength: 3 } } },
        execute: (args: unknown) => {
          calls.push([server, name, args]);
          return new ToolContent([{ type: "text", text: "made" }], { number: 7 }, "untrusted");
        },
      }),
      effects: () => [{ kind: "connect", target: `mcp:${server}`, within: false }],
    });
    const fields = `mcp: true\nserver: github\ntimeout: 30\n${text}`;
    const tools = new UserTools({ services: { mcpTool } });
    await tools.add("github-issue", fields);
    await tools.add("issue", `${fields}tool: create_issue`);
    expect(await tools.call("github-issue", { text: "x" })).toMatchObject({
      text: "made",
      result: { number: 7 },
      trust: "untrusted",
    });
    await tools.call("issue", { text: "y" });
    expect(calls).toEqual([
      ["github", "github-issue", { text: "x" }],
      ["github", "create_issue", { text: "y" }],
    ]);
    const careful = new UserTools({ services: { mcpTool }, rules: usualRules });
    await careful.add("issue", fields);
    expect(await careful.call("issue", { text: "x" })).toMatchObject({
      code: "TOOL_PERMISSION",
      error: expect.stringContaining("mcp:github"),
    });
    expect(await tools.call("issue", { text: "long" })).toMatchObject({ code: "TOOL_VALIDATION" });
    const without = new UserTools();
    await without.add("issue", fields);
    expect(await without.call("issue", { text: "x" })).toMatchObject({ code: "SOURCE_NOT_CONNECTED" });
  });
});

const { level, inSandbox } = await sandboxHere();

test("a command is kept in as those of bash are", inSandbox, async () => {
  const tools = new UserTools({ level });
  const outside = join(tools.folder, "../outside");
  await tools.add(
    "reach",
    `shell: true\ncommand: echo x > made; for f in ${outside}; do echo y > $f; done 2>/dev/null; true`,
  );
  await tools.add("out", `unconfined: true\nshell: true\ncommand: echo y > ${outside}; ls ${outside}`);
  const result = await tools.call("reach");
  expect(result).toMatchObject({ success: true, result: { sandbox: level } });
  expect(existsSync(outside)).toBe(false);
  expect(existsSync(join(tools.folder, "made"))).toBe(true);
  expect(await tools.call("out")).toMatchObject({ success: true, result: { sandbox: "outside" } });
  const { judgements } = await tools.executor.foresee("out", {}, { allowedPaths: [tools.folder] });
  expect(judgements.some(({ effect }) => effect?.opaque === true)).toBe(true);
});
