import type { HttpResponse } from "../../host/index.ts";

/** The media type without its parameters, in lower case; empty where the server does not say. */
export function readMediaType({ headers }: Pick<HttpResponse, "headers">): string {
  return (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

const textTypes =
  /^text\/|[/+](json|xml|yaml|javascript|ecmascript|x-www-form-urlencoded|graphql|toml|csv|ndjson|jsonl|markdown|sql|x-sh|x-yaml|x-ndjson|x-javascript|jsonlines|manifest\+json)$/;

/** The body as text, decoded by its charset; undefined where it is not text. */
export function readBodyText(response: HttpResponse): string | undefined {
  if (response.encoding !== undefined) return undefined;
  const type = readMediaType(response);
  const { body } = response;
  if (textTypes.test(type)) return decode(body, findCharset(response.headers["content-type"], body));
  const isUntold = type === "" || type === "application/octet-stream" || type === "binary/octet-stream";
  return isUntold && looksLikeText(body) ? decode(body, "utf-8") : undefined;
}

function decode(body: Uint8Array, charset: string): string {
  return new TextDecoder(charset).decode(body);
}

/** A byte order mark wins, then the header, then what the document says of itself. */
function findCharset(contentType: string | undefined, body: Uint8Array): string {
  if (body[0] === 0xff && body[1] === 0xfe) return "utf-16le";
  if (body[0] === 0xfe && body[1] === 0xff) return "utf-16be";
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return "utf-8";
  const head = () => new TextDecoder("latin1").decode(body.subarray(0, 1024));
  const told =
    /charset\s*=\s*["']?([\w-]+)/i.exec(contentType ?? "") ??
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(head()) ??
    /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w-]+)/i.exec(head());
  const label = told?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return "utf-8";
  }
}

/** No NUL, and UTF-8 as far as the first 4,096 bytes tell. */
function looksLikeText(body: Uint8Array): boolean {
  const start = body.subarray(0, 4096);
  if (start.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}
