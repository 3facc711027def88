/** What a scan of HTML meets, in order. Comments and what is in {@link isUnread} elements are passed over. */
export interface HtmlVisitor {
  text?(text: string): void;
  /** `name` in lower case; `tag` as it stands. */
  open?(name: string, tag: string): void;
  close?(name: string, tag: string): void;
}

const unread: ReadonlySet<string> = new Set(["script", "style", "noscript", "template", "iframe"]);

/** Elements whose content is not for readers. */
export function isUnread(name: string): boolean {
  return unread.has(name);
}

/** Walks HTML once from start to end, whatever it holds: no tree, no going back. */
export function scanHtml(html: string, visitor: HtmlVisitor): void {
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf("<", at);
    if (start < 0) return visitor.text?.(html.slice(at));
    if (start > at) visitor.text?.(html.slice(at, start));
    const next = html[start + 1] ?? "";
    if (html.startsWith("<!--", start)) at = after(html, "-->", start + 4);
    else if (next === "!" || next === "?") at = after(html, ">", start);
    else if (/[a-z/]/i.test(next)) at = visitTag(html, start, visitor);
    else {
      visitor.text?.("<");
      at = start + 1;
    }
  }
}

function visitTag(html: string, start: number, visitor: HtmlVisitor): number {
  const isClose = html[start + 1] === "/";
  const nameStart = isClose ? start + 2 : start + 1;
  let nameEnd = nameStart;
  while (nameEnd < html.length && nameEnd - nameStart < 64 && /[^\s/>]/.test(html[nameEnd] as string))
    nameEnd++;
  const name = html.slice(nameStart, nameEnd).toLowerCase();
  const end = tagEnd(html, nameEnd);
  const tag = html.slice(start, end);
  if (isClose) {
    visitor.close?.(name, tag);
    return end;
  }
  visitor.open?.(name, tag);
  const isRaw = unread.has(name) || name === "title" || name === "textarea";
  if (!isRaw) return end;
  const closing = new RegExp(`</${name}`, "gi");
  closing.lastIndex = end;
  const stop = closing.exec(html)?.index ?? html.length;
  if (!unread.has(name)) visitor.text?.(html.slice(end, stop));
  return stop;
}

/** Past the `>` that ends a tag; one within quotes does not. */
function tagEnd(html: string, from: number): number {
  let quote = "";
  for (let at = from; at < html.length; at++) {
    const char = html[at] as string;
    if (quote !== "") {
      if (char === quote) quote = "";
    } else if (char === ">") return at + 1;
    else if ((char === '"' || char === "'") && html[at - 1] === "=") quote = char;
  }
  return html.length;
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}
