import { oneLine } from "../../../base/index.ts";
import { scanHtml } from "./scan-html.ts";

const lineBreaks: ReadonlySet<string> = new Set(["br", "tr", "li", "dt", "dd", "hr", "option"]);
const blocks: ReadonlySet<string> = new Set(
  "p div section article header footer main aside nav h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote figure form fieldset details address".split(
    " ",
  ),
);

/** The readable text of HTML, in time linear in its length and with no depth that it cannot take. */
export function htmlToText(html: string): { readonly title: string; readonly text: string } {
  const parts: string[] = [];
  let title = "";
  let inTitle = false;
  let inPre = 0;
  const breakAt = (name: string) => {
    if (lineBreaks.has(name)) parts.push("\n");
    else if (blocks.has(name)) parts.push("\n\n");
    else if (name === "td" || name === "th") parts.push(" ");
  };
  scanHtml(html, {
    text(text) {
      const decoded = decodeEntities(text);
      if (inTitle) title ||= oneLine(decoded);
      else parts.push(inPre > 0 ? decoded : decoded.replace(/\s+/g, " "));
    },
    open(name) {
      inTitle = name === "title";
      if (name === "pre") inPre++;
      breakAt(name);
    },
    close(name) {
      inTitle = false;
      if (name === "pre" && inPre > 0) inPre--;
      breakAt(name);
    },
  });
  return { title, text: tidy(parts.join("")) };
}

/** One space between words, at most one empty line between blocks. */
function tidy(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/^ (?! )/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  laquo: "«",
  raquo: "»",
  bull: "•",
  middot: "·",
  copy: "©",
  reg: "®",
  trade: "™",
  deg: "°",
  times: "×",
  euro: "€",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  Auml: "Ä",
  Ouml: "Ö",
  Uuml: "Ü",
  szlig: "ß",
  eacute: "é",
  egrave: "è",
  agrave: "à",
  ccedil: "ç",
};

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]{2,8}));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] as string) : whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : "\ufffd";
    },
  );
}
