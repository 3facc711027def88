import { expect, test } from "vitest";
import { fillWords } from "./render.ts";
import { splitWords } from "./split-words.ts";
import { CommandFault } from "./tag.ts";

function words(command: string, values: Readonly<Record<string, unknown>> = {}): string[] {
  return fillWords(splitWords(command), values);
}

test.for<[string, string[]]>([
  ["a b  c", ["a", "b", "c"]],
  [" a\t'b  c' \"d  e\"\n", ["a", "b  c", "d  e"]],
  ["a 'it'\\''s' \"it's\"", ["a", "it's", "it's"]],
  ['a "" \'\' x""y', ["a", "", "", "xy"]],
  ['a "\\"\\\\\\$\\`\\n"', ["a", '"\\$`\\n']],
  ["a \\; \\| \\$HOME \\ x \\{{n}}", ["a", ";", "|", "$HOME", " x", "{{n}}"]],
  ["a b\\\nc \\\n d", ["a", "bc", "d"]],
  ['a "b\\\nc"', ["a", "bc"]],
  ["find . -name '*.ts' -exec wc -l {} +", ["find", ".", "-name", "*.ts", "-exec", "wc", "-l", "{}", "+"]],
  [
    "a --x=1 'cost: $5' \"cost: $ 5\" a#b a~b a=~/b",
    ["a", "--x=1", "cost: $5", "cost: $ 5", "a#b", "a~b", "a=~/b"],
  ],
])("splitWords() reads %s as bash does", ([command, expected]) => {
  expect(words(command)).toEqual(expected);
});

test.for([
  "|",
  ";",
  "&",
  "&&",
  ">",
  "<",
  "(",
  "$X",
  "$(x)",
  "`x`",
  "*",
  "a?",
  "[ab]",
  "~",
  "~/x",
  "#x",
  "{a,b}",
  "{1..3}",
])("splitWords() refuses %s, which a shell would read, unless it is quoted", (syntax) => {
  expect(() => words(`a ${syntax}`)).toThrow(/no shell reads this command.*shell: true/);
  expect(words(`a '${syntax}'`)).toEqual(["a", syntax]);
});

test.for(["a\nb", "A=1 b", "! a", 'a "$X"', 'a "`x`"', 'a "$(x)"'])("splitWords() refuses %j", (command) => {
  expect(() => words(command)).toThrow(CommandFault);
});

test.for<[string, number]>([
  ["a 'b", 2],
  ['a "b', 2],
  ["a \\", 2],
  ["a {{b", 2],
  ["a {{b.c}}", 2],
  ["a {{#each b}}{{/each}}", 2],
  ["a {{{b}}}", 2],
  ["a {{> b}}", 2],
  ["a {{/if}}", 2],
  ["a {{else}}", 2],
  ["a {{#if b}} c", 2],
  ["a x{{#if b}}c{{/if}}", 3],
  ["a {{#if b}}c{{/if}}x", 19],
  ["a {{#if b}}c{{/if}}{{#if d}}e{{/if}}", 19],
  ['a "{{#if b}}c{{/if}}"', 3],
])("splitWords() says where %j is at fault", ([command, offset]) => {
  expect(() => words(command)).toThrow(expect.objectContaining({ name: "CommandFault", offset }));
});

test.for<[string, Record<string, unknown>, string[]]>([
  ["p {{a}}", { a: "x y; $(z) '\" -- " }, ["p", "x y; $(z) '\" -- "]],
  ["p {{a}}", { a: "" }, ["p", ""]],
  ["p {{a}}", {}, ["p"]],
  ["p --a={{a}} b", {}, ["p", "b"]],
  ["p '{{a}} and {{b}}' \"<{{b}}>\"", { a: "1", b: "2 3" }, ["p", "1 and 2 3", "<2 3>"]],
  ["p {{a}}{{b}}", { a: "1" }, ["p"]],
  ["p {{a}}", { a: ["x", "y z", ""] }, ["p", "x", "y z", ""]],
  ["p --a={{a}}! b", { a: ["x", "y z"] }, ["p", "--a=x!", "--a=y z!", "b"]],
  ["p {{a}}", { a: [] }, ["p"]],
  ["p {{n}} {{t}} {{f}}", { n: -1.5, t: true, f: false }, ["p", "-1.5", "true", "false"]],
  ["p {{#if f}}--f {{f}}{{else}}--no{{/if}} z", { f: "1" }, ["p", "--f", "1", "z"]],
  ["p {{#if f}}--f {{f}}{{else}}--no{{/if}} z", { f: "" }, ["p", "--no", "z"]],
  ["p {{#if a}}1 {{#if b}}2{{/if}} {{/if}}", { a: true, b: true }, ["p", "1", "2"]],
  ["p {{#if a}}{{#if b}}2{{/if}}{{/if}}", { a: [1], b: 0 }, ["p"]],
  ["p {{constructor}} {{toString}}", {}, ["p"]],
])("%s with %j", ([command, values, expected]) => {
  expect(words(command, values)).toEqual(expected);
});

test.for(["a\0b", "\ud800"])("a value with %j is refused, as no argument can hold it", (value) => {
  expect(() => words("p {{a}}", { a: value })).toThrow(expect.objectContaining({ code: "COMMAND_VALUE" }));
});
