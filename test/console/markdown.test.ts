import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, type Inline, readMarkdown } from "../../console/src/text/read-markdown.ts";

/** All texts of the parts, in their order. */
function listTexts(parts: readonly (Block | Inline)[]): string[] {
  return parts.flatMap((part): string[] => {
    switch (part.kind) {
      case "text":
        return [part.text];
      case "code":
        return "language" in part ? [part.language, part.text] : [part.text];
      case "link":
      case "picture":
        return part.text === part.href ? [part.href] : [part.text, part.href];
      case "quote":
        return listTexts(part.blocks);
      case "list":
        return part.items.flatMap(listTexts);
      case "table":
        return [part.head, ...part.rows].flatMap((row) => row.flatMap(listTexts));
      case "rule":
        return [];
      case "paragraph":
      case "heading":
      case "strong":
      case "em":
      case "del":
        return listTexts(part.parts);
      default:
        return part satisfies never;
    }
  });
}

const onlyWords = (text: string) => text.replaceAll(/[^\p{L}]/gu, "");

describe("Markdown", () => {
  test("what models write becomes its parts", () => {
    const text = readFileSync("test/fixtures/console/answer.md", "utf8");
    expect(readMarkdown(text).map(({ kind }) => kind)).toEqual([
      "heading",
      "paragraph",
      "list",
      "list",
      "quote",
      "table",
      "code",
      "rule",
      "paragraph",
    ]);
    expect(readMarkdown("**bold *both*** and `a*b`, ~~gone~~, \\*no\\*")).toEqual([
      {
        kind: "paragraph",
        parts: [
          {
            kind: "strong",
            parts: [
              { kind: "text", text: "bold " },
              { kind: "em", parts: [{ kind: "text", text: "both" }] },
            ],
          },
          { kind: "text", text: " and " },
          { kind: "code", text: "a*b" },
          { kind: "text", text: ", " },
          { kind: "del", parts: [{ kind: "text", text: "gone" }] },
          { kind: "text", text: ", *no*" },
        ],
      },
    ]);
  });

  test.each([
    "snake_case_name and another_one_",
    "2 * 3 * 4",
    "a ** b",
    "<b>x</b> &amp;",
    "[a] (b)",
    "`open",
  ])("%s is text", (text) => {
    expect(readMarkdown(text)).toEqual([{ kind: "paragraph", parts: [{ kind: "text", text }] }]);
  });

  test("a bare address is a link without the sign after it", () => {
    expect(readMarkdown("See https://a.example/x_(y), or <https://b.example>.")[0]).toMatchObject({
      parts: [
        { text: "See " },
        { kind: "link", href: "https://a.example/x_(y" },
        { text: "), or " },
        { kind: "link", href: "https://b.example" },
        { text: "." },
      ],
    });
  });

  test("no word is lost, made up or moved, whatever the text is", () => {
    const sign = fc.constantFrom(
      ..."ab \n\t*_`~[]()!<>#>|-+.:\\1".split(""),
      "https://a.b/c",
      "\n- ",
      "\n> ",
      "```\n",
      "|-|",
    );
    const markdown = fc.array(sign, { maxLength: 80 }).map((signs) => signs.join(""));
    fc.assert(
      fc.property(markdown, (text) => {
        const shown = onlyWords(listTexts(readMarkdown(text)).join(""));
        expect(shown).toBe(onlyWords(text));
      }),
      { numRuns: 2000 },
    );
  });

  test("lists and quotes that are within each other a thousand times are read to the end", () => {
    const deep = [`${"> ".repeat(2000)}end`, `${"- ".repeat(2000)}end`, `${"1. ".repeat(2000)}end`];
    for (const text of deep) expect(listTexts(readMarkdown(text)).join("")).toContain("end");
  });

  test.each([
    ["spaces within a heading", `# a${" ".repeat(60_000)}end`],
    ["white space of two kinds, and signs, within a heading", `# a${"\t \t#".repeat(20_000)}end`],
    ["spaces after a fence that is none", `\`\`\`${" ".repeat(150_000)}end\``],
  ])("thousands of the same sign do not stop the page: %s", (_, text) => {
    expect(listTexts(readMarkdown(text)).join("")).toContain("end");
  });

  test.each([
    ["# One #", "One"],
    ["## Two ###  ", "Two"],
    ["### C#", "C#"],
    ["# #", "#"],
    ["#  ", ""],
  ])("the heading %j is %j", (text, heading) => {
    expect(readMarkdown(text).map((block) => [block.kind, listTexts([block]).join("")])).toEqual([
      ["heading", heading],
    ]);
  });
});
