import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyseCommand } from "./index.ts";

function texts(line: string): string[] {
  return analyseCommand(line).parts.map(({ text }) => text);
}

describe("analyseCommand()", () => {
  test.for<[string, string[]]>([
    ["ls  -l   'a b'", ["ls -l 'a b'"]],
    ["r'm' \"-rf\" $'\\x61'", ["rm -rf a"]],
    ["a | b && c || d; e & f", ["a", "b", "c", "d", "e", "f"]],
    ["a; a; a", ["a"]],
    ["echo it\\'s", ["echo 'it'\\''s'"]],
    ["echo $(a $(b))", ["echo $(a $(b))", "a $(b)", "b"]],
    ["sudo timeout 5 a", ["a", "sudo timeout 5 a"]],
    ["", []],
    ["# nothing", []],
  ])("lists the parts of %j", ([line, parts]) => {
    expect(texts(line)).toEqual(parts);
  });

  test("says of files what happens to them, and from which folders they are named", () => {
    expect(analyseCommand("cd src && cat a ~/b < c > d 2>> '~e' &> /dev/null")).toEqual({
      parts: [
        { text: "cd src", words: ["cd", "src"], aliases: [], readOnly: true },
        { text: "cat a ~/b", words: ["cat", "a", "~/b"], aliases: [], readOnly: true },
      ],
      files: [
        { kind: "names", path: "src", home: false },
        { kind: "read", path: "a", home: false },
        { kind: "read", path: "~/b", home: true },
        { kind: "read", path: "c", home: false },
        { kind: "overwrite", path: "d", home: false },
        { kind: "append", path: "~e", home: false },
      ],
      programs: ["cd", "cat"],
      folders: ["", "src"],
    });
  });

  test("gives what it can't read as a part that says why", () => {
    expect(analyseCommand("$x -rf a").parts).toEqual([
      {
        text: "$x -rf a",
        words: ["$x", "-rf", "a"],
        aliases: [],
        opaque: "which program it starts is not fixed",
        readOnly: false,
      },
    ]);
  });

  test("never throws, whatever the line", () => {
    const pieces = fc.constantFrom(
      ..."$( ` ' \" \\ ; | & < > ( ) { } [[ ]] (( )) $(( <<E \n E <<< # ! * ? ~ = $x ${ } ${x@P} a rm sh -c eval cd if then fi do done case esac in function coproc time && || \0 \u202e 😀 \ud800".split(
        " ",
      ),
    );
    const line = fc.oneof(
      fc.array(pieces, { maxLength: 30 }).map((all) => all.join(" ")),
      fc.array(pieces, { maxLength: 30 }).map((all) => all.join("")),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(line, (text) => {
        const { parts } = analyseCommand(text);
        for (const part of parts) expect(part.readOnly && part.opaque !== undefined).toBe(false);
      }),
      { numRuns: 20_000, seed: 1 },
    );
  });

  test.for<{ readonly what: string; readonly makeLine: (times: number) => string }>(
    Object.entries<(times: number) => string>({
      parts: (times) => "true && ".repeat(times),
      "different parts": (times) => Array.from({ length: times }, (_, index) => `c${index}`).join(";"),
      words: (times) => `echo ${"a ".repeat(times)}`,
      "nested substitutions": (times) => `${"$(a ".repeat(times)}${")".repeat(times)}`,
      "nested groups": (times) => `${"{ ".repeat(times)}a${"; }".repeat(times)}`,
      wrappers: (times) => `${"sudo ".repeat(times)}rm`,
      shells: (times) => `${"bash -c ".repeat(times)}rm`,
      folders: (times) => "cd a; ".repeat(times),
      quotes: (times) => `echo ${"'a'\"b\"".repeat(times)}`,
      arithmetic: (times) => `echo $((${"1+".repeat(times)}1))`,
      "find's commands": (times) => `find . ${"-exec a ; ".repeat(times)}`,
      "here-documents": (times) => "cat <<E\nE\n".repeat(times),
      "unclosed quotes": (times) => "'".repeat(times * 2 + 1),
      "unclosed substitutions": (times) => "$(".repeat(times),
      "carried words": (times) => `docker run ${"a ".repeat(times)}`,
    }).map(([what, makeLine]) => ({ what, makeLine })),
  )("takes a line of 100 kB of $what", ({ makeLine }) => {
    const line = makeLine(Math.ceil(100_000 / makeLine(100).length) * 100);
    const { parts } = analyseCommand(line);
    const size = parts.reduce((sum, { text, aliases }) => sum + text.length + aliases.join("").length, 0);
    expect(size).toBeLessThan(100 * line.length);
  });
});
