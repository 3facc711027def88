import { isUnread, scanHtml } from "./scan-html.ts";

const ofHead: ReadonlySet<string> = new Set(["title", "meta", "base", "link"]);
const ofPage: ReadonlySet<string> = new Set(["html", "head", "body"]);

/**
 * HTML as one page with a head and a body, whatever it began as, without comments, scripts, styles and tags that do
 * not end: linkedom takes the first element for the root, and what is not there costs it nothing.
 */
export function toWholePage(html: string): string {
  const head: string[] = [];
  const body: string[] = [];
  let inTitle = false;
  const keep = (name: string, tag: string) => {
    if (isUnread(name) || ofPage.has(name) || !tag.endsWith(">")) return;
    (ofHead.has(name) ? head : body).push(tag);
  };
  scanHtml(html, {
    text: (text) => (inTitle ? head : body).push(text === "<" ? "&lt;" : text),
    open(name, tag) {
      inTitle = name === "title";
      keep(name, tag);
    },
    close(name, tag) {
      inTitle = false;
      keep(name, tag);
    },
  });
  return `<!doctype html><html><head>${head.join("")}</head><body>${body.join("")}</body></html>`;
}
