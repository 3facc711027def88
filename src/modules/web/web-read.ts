import { z } from "zod";
import { cutHead } from "../../base/index.ts";
import type { Tool } from "../../kernel/index.ts";
import { NetworkError } from "./errors.ts";
import type { NetworkServices } from "./network-options.ts";
import { defineNetworkTool } from "./network-tool.ts";
import { fetchPage, type Page } from "./page/fetch-page.ts";
import { fetchByJina, jinaRequest } from "./page/jina.ts";
import { PageCache } from "./page/page-cache.ts";

/** Characters of a page in one answer. */
const maxChars = 12_000;

export function webReadTool(services: NetworkServices): Tool {
  const options = services.options?.webRead ?? {};
  const cache = new PageCache();
  const isJina = options.provider === "jina";
  return defineNetworkTool(services, {
    name: "web_read",
    title: "Read a web page",
    description: `Read a web page, PDF or text file as Markdown, without its menus and scripts. At most ${maxChars} characters at once; the end of the answer says how to read on.`,
    parameters: z.strictObject({
      url: z.string().describe("The whole address, beginning with https:// or http://"),
      offset: z
        .int()
        .min(0)
        .default(0)
        .describe("Characters to skip, to read on where the last answer ended"),
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true },
    addresses: ({ url }) => (isJina ? [{ url }, jinaRequest(url, options)] : [{ url }]),
    run: async ({ url, offset }, send, context) => {
      const known = offset > 0 ? cache.find(context.scope, url) : undefined;
      const page =
        known ?? (await (isJina ? fetchByJina(url, send, options) : fetchPage(url, send, context)));
      cache.keep(context.scope, url, page);
      return render(page, url, offset);
    },
  });
}

function render(page: Page, asked: string, offset: number): string {
  if ("movedTo" in page) {
    return `"${page.url}" redirects to "${page.movedTo}", another site, and was not followed. To read it, call web_read with that address.`;
  }
  const { title, url, text, notes } = page;
  if (offset > 0 && offset >= text.length) {
    throw new NetworkError(
      "PAGE_OFFSET",
      `Cannot read "${asked}" from character ${offset}: it has ${text.length}; use a smaller offset`,
    );
  }
  const part = cutHead(text.slice(offset), maxChars);
  const end = offset + part.length;
  const head = offset > 0 ? [] : [title === "" ? undefined : `# ${title}`, `Source: ${url}`];
  const more =
    end < text.length
      ? `Characters ${offset} to ${end} of ${text.length}; to read on, call web_read with offset ${end}`
      : undefined;
  const notice = [...notes, more].filter((note) => note !== undefined).map((note) => `[${note}]`);
  const content = withoutTitle(part, title) || "(The page has no text.)";
  return [...head, content, ...notice].filter((block) => block !== undefined).join("\n\n");
}

/** The heading that says the title once more. */
function withoutTitle(text: string, title: string): string {
  const heading = `# ${title}\n`;
  return title !== "" && text.startsWith(heading) ? text.slice(heading.length).trimStart() : text;
}
