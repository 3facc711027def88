import { describe, expect, test } from "vitest";
import { answering } from "../support/questions.ts";
import { toolText, UserTools, usualRules } from "../support/user-tools.ts";

const text = "parameters: [{ name: text, type: string, required: true }]\n";

describe("steps", () => {
  const chain = `${text}steps:
  - id: shout
    tool: upper
    arguments: { text: { $from: input/text } }
  - id: twice
    tool: double
    arguments: { text: { $from: shout/stdout } }
result: { once: { $from: shout/stdout }, twice: { $from: twice/stdout } }`;

  test("a tool in Markdown can be a chain of others, each through the gate", async () => {
    const tools = new UserTools();
    await tools.add("upper", `${text}command: bash -c 'printf %s "\${1^^}"' upper {{text}}`);
    await tools.add("double", `${text}command: printf '%s%s' {{text}} {{text}}`);
    await tools.add("shouted", chain);
    expect(tools.markdown.problems()).toEqual([]);
    expect(await tools.call("shouted", { text: "ab" })).toMatchObject({
      success: true,
      result: { once: "AB", twice: "ABAB" },
    });
  });

  test("its calls are asked about in one question", async () => {
    const approver = answering({ approved: true, by: "ann" });
    const tools = new UserTools({ rules: usualRules, approver });
    await tools.add("upper", `${text}command: touch {{text}}`);
    await tools.add(
      "both",
      "steps: [{ id: a, tool: upper, arguments: { text: one } }, { id: b, tool: upper, arguments: { text: two } }]",
    );
    expect((await tools.call("both")).success).toBe(true);
    expect(approver.asked).toMatchObject([
      {
        toolName: "both",
        params: {
          calls: [
            { step: "a", tool: "upper" },
            { step: "b", tool: "upper" },
          ],
        },
      },
    ]);
  });

  test.for([
    ["steps: []", "it has no steps"],
    ["steps: [{ id: a, tool: x, arguments: { y: { $from: b } } }]", "which is no step"],
    ["steps: [{ id: a, tool: x, after: [a] }]", "wait for each other: a -> a"],
    ["steps: [{ id: a }]", 'Cannot do without the field "steps.0.tool"'],
    ["steps: [{ id: a, tool: x, when: now }]", 'Cannot use the field "when"'],
    ["steps: [{ id: a, tool: x }]\ncommand: ls", "this tool has `steps` in its place"],
  ])("%s is refused: %s", async ([fields, why]) => {
    const tools = new UserTools();
    await tools.add("bad", fields as string);
    expect(tools.markdown.problems()[0]?.message).toContain(why);
    expect(tools.registry.has("bad")).toBe(false);
  });
});

describe("versions", () => {
  const named = (id: string, fields: string) => toolText("greet", fields).replace("id: greet", `id: ${id}`);

  async function greetings(files: Readonly<Record<string, string>>): Promise<UserTools> {
    const tools = new UserTools();
    for (const [file, fields] of Object.entries(files))
      tools.write(`agent/tools/${file}.md`, named("greet", fields));
    await tools.markdown.reload();
    return tools;
  }

  test("files of one id and different versions stand side by side; the highest is taken where no share is said", async () => {
    const tools = await greetings({
      "greet-10": 'version: "10"\ncommand: echo ten',
      "greet-9": 'version: "9"\ncommand: echo nine',
    });
    expect(tools.markdown.problems()).toEqual([]);
    expect((await tools.call("greet")).text).toBe("ten");
    expect((await tools.call("greet@9")).text).toBe("nine");
  });

  test("shares say which version calls get that name none", async () => {
    const tools = await greetings({
      a: 'version: "1"\nshare: 1\ncommand: echo one',
      b: 'version: "2"\ncommand: echo two',
    });
    expect((await tools.call("greet")).text).toBe("one");
    expect((await tools.call("greet@2")).text).toBe("two");
  });

  test("versions that take different arguments can't share calls", async () => {
    const tools = await greetings({
      a: 'version: "1"\nshare: 1\ncommand: echo one',
      b: `version: "2"\nshare: 1\n${text}command: echo {{text}}`,
    });
    expect(tools.markdown.problems()).toMatchObject([
      { code: "SOURCE_NAME_TAKEN", message: expect.stringContaining("they take different arguments") },
    ]);
    expect((await tools.call("greet")).text).toBe("one");
  });

  test("two files of one id without versions are two tools of one name", async () => {
    const tools = await greetings({ a: "command: echo one", b: 'version: "2"\ncommand: echo two' });
    expect(tools.markdown.problems()).toMatchObject([
      { code: "SOURCE_NAME_TAKEN", message: expect.stringContaining("give each a `version` of its own") },
    ]);
  });
});
