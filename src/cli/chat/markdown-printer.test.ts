import fc from "fast-check";
import { expect, test } from "vitest";
import { MarkdownPrinter } from "./markdown-printer.ts";

const plain = (_paint: unknown, text: string) => text;

function print(text: string, width: number = 40, pieceChars: number = 5): string {
  const printer = new MarkdownPrinter({ width, paint: plain });
  let out = "";
  for (let at = 0; at < text.length; at += pieceChars) out += printer.add(text.slice(at, at + pieceChars));
  return out + printer.end();
}

const page = `# A title

Some *text* with \`code & <b>\`, **bold**, a [link](https://example.com/x) and <https://example.com>.
It goes on here, until the line is full and breaks.

1. one
2. two
   - nested
   - more
3. three

- [ ] open
- [x] done

> A quote
> of two lines

\`\`\`sh
echo "a  b"
  indented
\`\`\`

| Name | Size |
| --- | ---: |
| a.ts | 10 |
| longer name.ts | 2 |

The end.
`;

test("MarkdownPrinter prints a page in plain lines", () => {
  expect(print(page)).toBe(`A title

Some text with code & <b>, bold, a link
(https://example.com/x) and
https://example.com.
It goes on here, until the line is full
and breaks.

1. one
2. two
   • nested
   • more
3. three

• [ ] open
• [x] done

│ A quote
│ of two lines

  echo "a  b"
    indented

Name            Size
a.ts              10
longer name.ts     2

The end.
`);
});

test("MarkdownPrinter prints a block as soon as the next begins, and an item of a list as soon as the next does", () => {
  const printer = new MarkdownPrinter({ width: 40, paint: plain });
  expect(printer.add("One")).toBe("");
  expect(printer.add(" block.\n")).toBe("");
  expect(printer.add("\nThe next.\n\n- a\n")).toBe("One block.\n\nThe next.\n");
  expect(printer.add("- b\n")).toBe("\n• a\n");
  expect(printer.add("- c\n")).toBe("• b\n");
  expect(printer.end()).toBe("• c\n");
});

test("MarkdownPrinter prints the full lines of a paragraph, and shows the line that grows", () => {
  const printer = new MarkdownPrinter({ width: 20, paint: plain });
  expect(printer.add("These are some words ")).toBe("");
  expect(printer.growing).toBe("These are some words");
  expect(printer.add("of a **line")).toBe("These are some words\n");
  expect(printer.growing).toBe("of a **line");
  // What began with a mark is printed once its end has come.
  expect(printer.add(" that is bold")).toBe("");
  expect(printer.add("** and ends")).toBe("of a line that is\n");
  expect(printer.growing).toBe("bold and ends");
  expect(printer.add(".\n")).toBe("");
  expect(printer.end()).toBe("bold and ends.\n");
  expect(printer.growing).toBe("");
});

test("MarkdownPrinter prints each line of code once it has ended", () => {
  const printer = new MarkdownPrinter({ width: 20, paint: plain });
  expect(printer.add("```ts\nconst a = 1;\nconst b")).toBe("  const a = 1;\n");
  expect(printer.growing).toBe("const b");
  expect(printer.add(" = 2;\n```\n\nThe end")).toBe("  const b = 2;\n\n");
  expect(printer.end()).toBe("The end\n");
});

test("MarkdownPrinter prints a page the same in pieces as at once", () => {
  const whole = print(page, 40, page.length);
  for (const pieceChars of [1, 2, 3, 7, 20]) expect(print(page, 40, pieceChars)).toBe(whole);
});

test("MarkdownPrinter gives text as it is where there is no terminal", () => {
  const printer = new MarkdownPrinter({ width: Number.POSITIVE_INFINITY, paint: plain });
  expect(printer.add("# *a") + printer.add("*\n") + printer.end()).toBe("# *a*\n");
});

test("MarkdownPrinter prints the same however the text comes in pieces", () => {
  const line = fc.constantFrom(
    "text",
    "- a",
    "1. b",
    "> q",
    "```",
    "| a | b |",
    "| - | - |",
    "# h",
    "",
    "  x",
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), (lines, pieceChars) => {
      const text = lines.join("\n");
      const printed = print(text, 40, pieceChars);
      // Every word is there once, whatever the pieces.
      const count = (part: string) => text.split(part).length - 1;
      expect(printed.split("text").length - 1).toBe(count("text"));
      expect(printed.split("q").length - 1).toBe(count("q"));
    }),
    { numRuns: 500 },
  );
});
