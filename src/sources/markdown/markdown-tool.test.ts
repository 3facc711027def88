import { expect, test } from "vitest";
import { readMarkdownTool } from "./markdown-tool.ts";
import { newToolText } from "./new-tool.ts";

const path = "/p/agent/tools/a.md";

/** Each problem as `line:column code`, and as its message. */
function listProblems(text: string): { readonly places: string[]; readonly messages: string[] } {
  const { problems } = readMarkdownTool({ path, text });
  return {
    places: problems.map(({ line, column, code }) => `${line}:${column} ${code}`),
    messages: problems.map(({ message }) => message),
  };
}

function fields(...lines: string[]): string {
  return ["---", "id: a", "name: A", "description: Does it.", ...lines, "---"].join("\n");
}

test("the file that `haft tools new` writes has no problem", () => {
  const { tool, problems } = readMarkdownTool({ path, text: newToolText("my-tool") });
  expect(problems).toEqual([]);
  expect(tool?.tool).toMatchObject({ id: "my-tool", title: "My tool", timeoutMs: 60_000, confirm: false });
  expect(tool?.examples).toHaveLength(2);
});

test.for<[string, string[]]>([
  ["", ["1:1 FRONT_MATTER_MISSING"]],
  ["# A tool\n---\nid: a\n---", ["1:1 FRONT_MATTER_MISSING"]],
  ["---\nid: a\n", ["1:1 FRONT_MATTER_MISSING"]],
  ["---\nid: a\n  b: c\n---", ["2:5 FRONT_MATTER_SYNTAX"]],
  ["---\nid: a\nid: b\n---", ["3:1 FRONT_MATTER_SYNTAX"]],
  ["---\nid: *a\n---", ["2:5 FRONT_MATTER_SYNTAX"]],
  ["---\na: &a [1]\nb: *a\n---", ["3:4 FRONT_MATTER_SYNTAX"]],
  ["---\nid: !!js/function 'x'\n---", ["2:5 FRONT_MATTER_SYNTAX"]],
  ["---\n- a\n---", ["2:1 FIELD_INVALID"]],
  [fields(), ["2:1 FIELD_MISSING"]],
  [fields("comand: ls"), ["2:1 FIELD_MISSING", "5:1 FIELD_UNKNOWN"]],
  [fields("command: ls", "timeout: 0"), ["6:10 FIELD_INVALID"]],
  [fields("command: ls", 'timeout: "5"'), ["6:10 FIELD_INVALID"]],
  [fields("command: ls", "confirm: maybe"), ["6:10 FIELD_INVALID"]],
  [fields("command: ls", "server: x"), ["6:9 FIELD_INVALID"]],
  [fields("command: ls | wc"), ["5:13 COMMAND_NEEDS_SHELL"]],
  [fields('command: "ls \'x"'), ["5:14 COMMAND_SYNTAX"]],
  [
    fields("command: ls {{brnch}}", "parameters: [{ name: branch, type: string }]"),
    ["5:13 COMMAND_PARAMETER"],
  ],
  [fields("command: '{{a}} x'", "parameters: [{ name: a, type: string }]"), ["5:11 COMMAND_SYNTAX"]],
  [fields("command: ls {{a}}{{a}}", "parameters: [{ name: a, type: array }]"), ["5:18 COMMAND_PARAMETER"]],
  [
    fields("shell: true", "command: ls {{a}}", "parameters: [{ name: a, type: string }]"),
    ["6:13 COMMAND_PARAMETER"],
  ],
  [
    fields("shell: true", "command: ls x{{a}}", "parameters: [{ name: a, type: array, required: true }]"),
    ["6:14 COMMAND_PARAMETER"],
  ],
  [
    fields("shell: true", `command: ls "{{a}}"`, "parameters: [{ name: a, type: string, required: true }]"),
    ["6:14 COMMAND_SYNTAX"],
  ],
  [fields("command: ls -- {{a}}", "parameters: [{ name: a }]"), ["6:14 FIELD_MISSING"]],
  [fields("command: ls -- {{a}}", "parameters: [{ name: a, type: text }]"), ["6:31 FIELD_INVALID"]],
  [
    fields("command: ls -- {{a}}", "parameters: [{ name: a, type: string, pattern: '(?=x)' }]"),
    ["6:48 FIELD_INVALID"],
  ],
  [
    fields("command: ls -- {{a}}", "parameters: [{ name: a, type: string, pattern: 'a)|(b' }]"),
    ["6:48 FIELD_INVALID"],
  ],
  [
    fields("command: ls -- {{a}}", "parameters: [{ name: a, type: string, enum: [1] }]"),
    ["6:45 FIELD_INVALID"],
  ],
  [
    fields("command: ls -- {{a}}", "parameters: [{ name: a, type: string, enum: [x], default: y }]"),
    ["6:59 FIELD_INVALID"],
  ],
  [
    fields("command: ls -- {{else}}", "parameters: [{ name: else, type: string }]"),
    ["5:16 COMMAND_SYNTAX", "6:22 FIELD_INVALID"],
  ],
  [fields("command: ls", "environment: { HAFT_HOME: x }"), ["6:27 FIELD_INVALID"]],
  [fields("command: ls", "environment: { A: '${B' }"), ["6:19 FIELD_INVALID"]],
  [fields("command: ls", "environment: { A: '{{b}}' }"), ["6:14 FIELD_INVALID"]],
  [fields("command: ls", "environment: { A: 'secret:a b' }"), ["6:19 FIELD_INVALID"]],
  [fields("mcp: true", "server: x", "command: ls"), ["7:10 FIELD_INVALID"]],
  [fields("mcp: true"), ["2:1 FIELD_MISSING"]],
  [
    fields("command: ls", "examples: [{ input: { a: 1 }, expect: { matches: '(?=x)' } }]"),
    ["6:50 FIELD_INVALID"],
  ],
  [fields("command: ls", "examples: [{ inputs: {} }]"), ["6:14 FIELD_UNKNOWN"]],
])("readMarkdownTool() says what is wrong with %j, and where", ([text, expected]) => {
  const { tool } = readMarkdownTool({ path, text });
  expect(tool).toBeUndefined();
  expect(listProblems(text).places).toEqual(expected);
});

test("every message names the thing and the remedy", () => {
  expect(
    listProblems(
      fields("comand: ls", "command: ls {{a}}", "parameters: [{ name: b, type: string, defalt: x }]"),
    ).messages,
  ).toEqual([
    'Cannot use the field "comand": there is none of that name; did you mean "command"',
    'Cannot use the command: there is no parameter "a"; declare it under parameters',
    'Cannot use the field "defalt": there is none of that name; did you mean "default"',
  ]);
});

test.for<[string, string]>([
  ["command: git checkout {{a}}", 'begins with "-"'],
  ["command: go run x --steps {{a}}", "the option before it stays alone"],
  ["command: ls", 'The parameter "a" has no effect'],
])("%s is warned of, and is a tool all the same", ([command, warning]) => {
  const { tool, problems } = readMarkdownTool({
    path,
    text: fields(command, "parameters: [{ name: a, type: string }]"),
  });
  expect(tool).toBeDefined();
  expect(problems).toMatchObject([{ level: "warning", message: expect.stringContaining(warning) }]);
});

test.for([
  "command: git checkout -- {{a}}",
  "command: go run x --steps={{a}}",
  "command: go run x {{#if a}}--steps {{a}}{{/if}}",
])("%s is not warned of", (command) => {
  const text = fields(command, "parameters: [{ name: a, type: string }]");
  expect(readMarkdownTool({ path, text }).problems).toEqual([]);
});

test("a tool changes its version with any change of its text", () => {
  const versions = ["x", "y"].map(
    (body) => readMarkdownTool({ path, text: `${fields("command: ls")}\n${body}` }).tool?.version,
  );
  expect(new Set(versions).size).toBe(2);
});
