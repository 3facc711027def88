import fc from "fast-check";
import { expect, test } from "vitest";
import { htmlToText } from "./plain-text.ts";
import { readHtml } from "./read-html.ts";

const filler = `<p>${"This is a sentence of the article, long enough to count. ".repeat(12)}</p>`;
const article = (inner: string) =>
  `<html><head><title>Page</title></head><body><nav><a href="/">Home</a></nav><article>${filler}${inner}</article></body></html>`;

/** What became of `inner`, without the sentences around it. */
async function readMarkdown(inner: string, url = "https://example.com/docs/page.html"): Promise<string> {
  const { text, isPlain } = await readHtml(article(inner), url);
  expect(isPlain).toBe(false);
  return text.slice(text.indexOf("\n\n") + 2);
}

test("readHtml() keeps the article and leaves menus, scripts and comments out", async () => {
  const page = await readHtml(
    `<!doctype html><html><head><title> My
     page </title><script>evil("</p>")</script><style>p{}</style></head><body>
     <nav><ul><li><a href="/a">Menu</a></li></ul></nav><main><article><h2>Part</h2>${filler}<!-- hidden --></article></main>
     <footer>Imprint</footer><script>more()</script></body></html>`,
    "https://example.com/",
  );
  expect(page).toEqual({
    title: "My page",
    text: `## Part\n\n${"This is a sentence of the article, long enough to count. ".repeat(12).trim()}`,
    isPlain: false,
  });
});

test("readHtml() makes links and images whole, and drops those that lead nowhere", async () => {
  expect(
    await readMarkdown(
      '<p><a href="../up?a=1#b">up</a> <a href="//cdn.test/x">cdn</a> <a href="#here">here</a> <a href="javascript:alert(1)">js</a> <img src="pic (1).png" alt="A pic"> <img src="data:image/png;base64,AAAA" alt="gone"></p>',
    ),
  ).toBe(
    "[up](https://example.com/up?a=1#b) [cdn](https://cdn.test/x) [here](https://example.com/docs/page.html#here) js ![A pic](https://example.com/docs/pic%20%281%29.png)",
  );
});

test("readHtml() honours a base element", async () => {
  const html = article('<p><a href="x">x</a></p>').replace("<head>", '<head><base href="/other/">');
  expect((await readHtml(html, "https://example.com/a/")).text).toContain("[x](https://example.com/other/x)");
});

test("readHtml() keeps code as it is, with its language, in a fence that holds", async () => {
  expect(await readMarkdown('<pre><code class="language-ts">if (a &lt; b) {\n  `x`\n}\n</code></pre>')).toBe(
    "```ts\nif (a < b) {\n  `x`\n}\n```",
  );
  expect(await readMarkdown('<pre class="brush: js">a<br>b</pre>')).toBe("```js\na\nb\n```");
  expect(await readMarkdown("<pre>```\nx\n```</pre>")).toBe("````\n```\nx\n```\n````");
  expect(await readMarkdown('<div class="highlight highlight-source-shell"><pre>ls -l</pre></div>')).toBe(
    "```shell\nls -l\n```",
  );
});

test("readHtml() writes tables with a head, full rows and escaped bars", async () => {
  expect(
    await readMarkdown(
      '<table><thead><tr><th>A</th><th>B|C</th></tr></thead><tbody><tr><td><p>1</p><p>2</p></td><td><a href="/x">x</a></td></tr><tr><td colspan="2">both</td></tr></tbody></table>',
    ),
  ).toBe("| A | B\\|C |\n| --- | --- |\n| 1 2 | [x](https://example.com/x) |\n| both |  |");
  expect(await readMarkdown("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>")).toBe(
    "| a | b |\n| --- | --- |\n| c |  |",
  );
});

test("readHtml() reads a table that only lays out the page as blocks", async () => {
  expect(
    await readMarkdown("<table><tr><td><h2>Left</h2><p>one</p></td><td><p>two</p></td></tr></table>"),
  ).toBe("## Left\n\none\n\ntwo");
});

test("readHtml() writes lists with their numbers and nesting", async () => {
  expect(await readMarkdown("<ul><li>one<ul><li>in</li></ul></li><li><p>two</p><p>more</p></li></ul>")).toBe(
    "- one\n  - in\n- two\n\n  more",
  );
  expect(await readMarkdown('<ol start="3"><li>three</li><li>four</li></ol>')).toBe("3. three\n4. four");
});

test("readHtml() reads a page that has no article whole", async () => {
  const list = Array.from(
    { length: 30 },
    (_, index) => `<li><a href="/${index}">Story ${index}</a></li>`,
  ).join("");
  const { text } = await readHtml(
    `<title>News</title><nav>Menu</nav><ul>${list}</ul><footer>Imprint</footer>`,
    "https://example.com/",
  );
  expect(text.split("\n")).toEqual(
    Array.from({ length: 30 }, (_, index) => `- [Story ${index}](https://example.com/${index})`),
  );
});

test("readHtml() reads what is hardly HTML", async () => {
  const url = "https://example.com/";
  expect(await readHtml("", url)).toEqual({ title: "", text: "", isPlain: false });
  expect((await readHtml("just text", url)).text).toBe("just text");
  expect((await readHtml("<p>hi <b>there", url)).text).toBe("hi **there**");
  expect(await readHtml("<title>T</title>x < y &amp; z", url)).toEqual({
    title: "T",
    text: "x < y & z",
    isPlain: false,
  });
  expect((await readHtml("<html><frameset><frame src=a></frameset></html>", url)).text).toBe("");
});

const heavy: readonly (readonly [string, string, string])[] = [
  ["20,000 divs in each other", `${"<div>".repeat(20_000)}deep${"</div>".repeat(20_000)}`, "deep"],
  ["100,000 open tags", `${"<b>".repeat(100_000)}bold`, "bold"],
  ["100,000 paragraphs that do not end", `${"<p>".repeat(100_000)}last`, "last"],
  ["300 tables in each other", `${"<table><tr><td>".repeat(300)}in${"</td></tr></table>".repeat(300)}`, "in"],
  ["half a million attributes", `<div ${"a=b ".repeat(500_000)}>text</div>`, "text"],
  ["20,000 blocks in wrappers", "<div><div><p>block</p></div></div>".repeat(21_000), "block"],
];

test.for(heavy)("readHtml() shows %s as plain text", async ([, html, start]) => {
  const page = await readHtml(html, "https://example.com/");
  expect(page.isPlain).toBe(true);
  expect(page.text.slice(0, start.length)).toBe(start);
});

test("readHtml() takes many angle brackets, unended tags and unended comments for what they are", async () => {
  const url = "https://example.com/";
  expect((await readHtml("<".repeat(2_000_000), url)).text).toHaveLength(2_000_000);
  expect((await readHtml("<html".repeat(200_000), url)).text).toBe("");
  expect((await readHtml(`before<!--${"x".repeat(1_000_000)}`, url)).text).toBe("before");
  expect((await readHtml(`before<script>${"<script>".repeat(100_000)}`, url)).text).toBe("before");
});

test("readHtml() and htmlToText() never fail, whatever they read", async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "<",
      ">",
      "</",
      "<!--",
      "-->",
      "<p>",
      "</p>",
      "<table>",
      "<td>",
      "<tr>",
      "<pre>",
      "<ul>",
      "<li>",
      "<a href='",
      "'>",
    ),
    fc.constantFrom(
      "<base href='http://[::'>",
      "<title>",
      "</title>",
      "<script>",
      "<img src=x>",
      "&#xD800;",
      "&amp",
      "<svg>",
      "\u0000",
      "<td colspan=-1>",
    ),
    fc.string({ maxLength: 5 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
      const html = pieces.join("");
      const { text } = htmlToText(html);
      expect(typeof text).toBe("string");
      expect(typeof (await readHtml(html, "https://example.com/")).text).toBe("string");
    }),
    { numRuns: 300 },
  );
});

test("htmlToText() keeps lines, preformatted text and entities", () => {
  expect(
    htmlToText(
      "<title>A &amp; B</title><h1>Head</h1><p>one\n two<br>three&nbsp;&#8364;&#x20AC;&unknown;</p><pre>a\n  b</pre><ul><li>x<li>y</ul><script>no</script>",
    ),
  ).toEqual({ title: "A & B", text: "Head\n\none two\nthree €€&unknown;\n\na\n  b\n\nx\ny" });
});
