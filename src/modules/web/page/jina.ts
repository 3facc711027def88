import { cutHead } from "../../../base/index.ts";
import type { HttpRequest } from "../../../host/index.ts";
import { readBodyText } from "../body-text.ts";
import type { WebReadOptions } from "../network-options.ts";
import type { Send } from "../network-tool.ts";
import { checkStatus, maxPageChars, type Page } from "./fetch-page.ts";

/** The request that makes Jina Reader get `url` and give it as Markdown. */
export function jinaRequest(
  url: string,
  { baseUrl = "https://r.jina.ai", apiKey }: WebReadOptions,
): HttpRequest {
  return {
    url: `${baseUrl.replace(/\/+$/, "")}/${url}`,
    isConfigured: true,
    headers: { accept: "text/plain", ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
  };
}

export async function fetchByJina(url: string, send: Send, options: WebReadOptions): Promise<Page> {
  const response = await send(jinaRequest(url, options));
  checkStatus(url, response);
  const text = readBodyText(response) ?? "";
  const [, title = ""] = /^Title: (.*)$/m.exec(cutHead(text, 2_000)) ?? [];
  const marker = "Markdown Content:\n";
  const start = text.indexOf(marker);
  const content = start < 0 ? text : text.slice(start + marker.length);
  return { url, title, text: cutHead(content.trim(), maxPageChars), notes: [] };
}
