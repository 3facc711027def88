import { expect, test } from "vitest";
import { fillLine } from "./render.ts";
import { readShellLine } from "./shell-line.ts";

function line(command: string, values: Readonly<Record<string, unknown>> = {}): string {
  return fillLine(readShellLine(command), values);
}

test.for<[string, Record<string, unknown>, string]>([
  ["ls {{a}} | wc -l", { a: "x; y" }, "ls 'x; y' | wc -l"],
  ["p --a={{a}}{{b}} > {{c}}", { a: "it's", b: 1, c: "~" }, "p --a='it'\\''s''1' > '~'"],
  ['x=$(p {{a}} "$(q {{a}})")', { a: "$(id)" }, "x=$(p '$(id)' \"$(q '$(id)')\")"],
  ["p {{a}} 'it is {' \"$x ${y}\" # done", { a: ["1", "2 3"] }, "p '1' '2 3' 'it is {' \"$x ${y}\" # done"],
  ['for f in {{a}}; do echo "$f"; done', { a: ["x"] }, "for f in 'x'; do echo \"$f\"; done"],
  ["case {{a}} in x) echo {{a}};; esac", { a: "b" }, "case 'b' in x) echo 'b';; esac"],
  ["p {{#if a}}--a {{a}}{{else}}b{{/if}}; q", { a: "1" }, "p --a '1'; q"],
  ["p {{#if a}}--a {{a}}{{else}}b{{/if}}; q", {}, "p b; q"],
  ["echo $((1 << 2)) <<< {{a}}", { a: "v" }, "echo $((1 << 2)) <<< 'v'"],
  ["p \\{{a}} '\\{'{x", { a: "v" }, "p \\{{a}} '\\{'{x"],
  ["cat <<E\nx\nE", {}, "cat <<E\nx\nE"],
])("readShellLine() fills %j", ([command, values, expected]) => {
  expect(line(command, values)).toBe(expected);
});

test.for([
  '"{{a}}"',
  "'{{a}}'",
  "$'{{a}}'",
  '"$(p "{{a}}")"',
  "`p {{a}}`",
  "p # {{a}}",
  "p \\\n# {{a}}",
  "\\\n# {{a}}",
  "p ;# {{a}}",
  "$(( {{a}} ))",
  "(( x = {{a}} ))",
  "${x:-{{a}}}",
  "[[ 1 -eq {{a}} ]]",
  "a[{{i}}]=1",
  "a[1+{{i}}]=1",
  "p ${{a}}",
  "p $x${{a}}",
  "cat <<E\n{{a}}\nE",
  "p {{a}}; cat <<E\n'\nE",
  '"$(case x in a) echo "q {{v}}";; esac)"',
  "{{a}} ; (case x in a) echo ;; esac)",
  '"${x:-\'}" {{v}} "\'}"',
  "p 'x",
  "p $(x",
  "p {{#if a}}'{{/if}}x'",
  "p {{#if a}}$({{/if}}x)",
  "p x{{#if a}}b{{/if}}",
  "p {{#if a}}b{{/if}}x",
  "p ${{#if a}}'x'{{/if}}",
  "p {{#if a}}# b{{/if}} {{c}}",
  "p {{#if a}}#{{b}}{{/if}}",
  "p {{#if a}}b{{/if}}#{{c}}",
])("readShellLine() refuses %j: a quoted value would not be a value there", (command) => {
  expect(() => readShellLine(command)).toThrow(expect.objectContaining({ name: "CommandFault" }));
});
