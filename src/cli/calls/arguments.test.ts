import { expect, test } from "vitest";
import { CliError } from "../errors.ts";
import { readCallArguments } from "./arguments.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string" },
    limit: { type: "integer", minimum: 1 },
    ratio: { anyOf: [{ type: "number" }, { type: "null" }] },
    recursive: { type: "boolean" },
    mode: { enum: ["fast", "slow"] },
    globs: { type: "array", items: { type: "string" } },
    sizes: { type: "array", items: { type: "integer" } },
    options: { type: "object", properties: { depth: { type: "integer" }, tags: { $ref: "#/$defs/tags" } } },
    edits: {
      type: "array",
      items: { type: "object", properties: { old: { type: "string" }, all: { type: "boolean" } } },
    },
    headers: { type: "object", additionalProperties: { type: "string" } },
    either: { type: ["string", "number"] },
  },
  $defs: { tags: { type: "array", items: { type: "number" } } },
} as const;

test.for([
  [["path=a=b"], { path: "a=b" }],
  [["path=12"], { path: "12" }],
  [["path="], { path: "" }],
  [["limit=5"], { limit: 5 }],
  [["limit=-2e3"], { limit: -2000 }],
  [["ratio=null"], { ratio: null }],
  [["ratio=0.5"], { ratio: 0.5 }],
  [["recursive=true"], { recursive: true }],
  [["mode=fast"], { mode: "fast" }],
  [["globs=*.ts"], { globs: ["*.ts"] }],
  [["globs=a", "globs=b,c"], { globs: ["a", "b,c"] }],
  [["sizes=1", "sizes=2"], { sizes: [1, 2] }],
  [["options.depth=3"], { options: { depth: 3 } }],
  [["options.tags=1", "options.tags=2"], { options: { tags: [1, 2] } }],
  [
    ["edits.0.old=x", "edits.0.all=true", "edits.1.old=y"],
    { edits: [{ old: "x", all: true }, { old: "y" }] },
  ],
  [["headers.X-Count=7"], { headers: { "X-Count": "7" } }],
  [["either=7"], { either: "7" }],
  [["either:=7"], { either: 7 }],
  [["globs:=[]"], { globs: [] }],
  [['options={"depth":1}'], { options: { depth: 1 } }],
  [["unknown=1"], { unknown: "1" }],
] as const)("readCallArguments() reads --arg %j by the schema", ([pairs, expected]) => {
  expect(readCallArguments(undefined, pairs, schema)).toEqual(expected);
});

test("readCallArguments() puts --arg over the JSON object, and a list over its list", () => {
  const json = '{"path":"a","globs":["old"],"options":{"depth":1}}';
  expect(readCallArguments(json, ["path=b", "globs=new", "options.tags=4"], schema)).toEqual({
    path: "b",
    globs: ["new"],
    options: { depth: 1, tags: [4] },
  });
});

test("readCallArguments() leaves JSON alone where no --arg is given, object or not", () => {
  expect(readCallArguments("[1]", [], schema)).toEqual([1]);
  expect(readCallArguments(undefined, [], schema)).toEqual({});
});

test.for([
  ["noequals", 'Cannot use --arg "noequals": it is not key=value; write --arg path=src'],
  ["=x", "it is not key=value"],
  ["__proto__.polluted=1", "it is not key=value"],
  ["a..b=1", "it is not key=value"],
  ["limit=many", 'Cannot use --arg limit=many: "limit" is integer; give one'],
  ["limit=", '"limit" is integer'],
  ["recursive=yes", '"recursive" is boolean'],
  ["options=deep", "write --arg options.name=value, or --arg options:='{…}'"],
  ["globs:=[", "what follows := is not JSON"],
  ["edits.5.old=x", '"5" is no place in a list of 0'],
] as const)("readCallArguments() refuses --arg %s", ([pair, message]) => {
  expect(() => readCallArguments(undefined, [pair], schema)).toThrow(
    expect.objectContaining({ code: "CLI_ARGUMENT", message: expect.stringContaining(message) }),
  );
});

test("readCallArguments() refuses a second value for what is no list, and --arg beside a JSON list", () => {
  expect(() => readCallArguments(undefined, ["path=a", "path=b"], schema)).toThrow(
    "Cannot use --arg path twice",
  );
  expect(() => readCallArguments("[]", ["path=a"], schema)).toThrow(CliError);
});

test("readCallArguments() says how to quote JSON that a shell took apart", () => {
  expect(() => readCallArguments("{path:.}", [], schema)).toThrow(
    /^Cannot read the arguments as JSON: .*; quote the whole object for your shell, for example '\{"path":"\."\}'/,
  );
});
