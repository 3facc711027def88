import { brotliDecompressSync } from "node:zlib";
import { lazy } from "../../base/index.ts";
import { readOwnFolder } from "../../host/index.ts";
import { readEncodings } from "../http/encodings.ts";
import type { HttpRequest, HttpResponse } from "../http/port.ts";
import { ConsoleFault } from "./errors.ts";
import { consoleHeaders } from "./headers.ts";

/** Contents of files by path. `x.js.br` and `x.js.gz` are compressed forms of `x.js`. */
export type BuiltFiles = ReadonlyMap<string, Uint8Array>;

/** The folder of the built page, in an installed package or in a checkout. */
const builtFolder = new URL(
  import.meta.url.endsWith(".js") ? "../../console/" : "../../../dist/console/",
  import.meta.url,
);

/** Reads the files of the page once, and keeps them in memory. */
export const readBuiltFiles: () => Promise<BuiltFiles> = lazy(async () =>
  unpackFiles(await readOwnFolder(builtFolder)),
);

/** Adds what is there as brotli alone, for browsers that do not take that. */
function unpackFiles(files: BuiltFiles): BuiltFiles {
  const unpacked = new Map(files);
  for (const [name, content] of files)
    if (name.endsWith(".br") && !files.has(name.slice(0, -".br".length)))
      unpacked.set(name.slice(0, -".br".length), brotliDecompressSync(content));
  return unpacked;
}

const page = "index.html";
/** Folder of the files whose names contain a hash of their content, so that browsers may keep them forever. */
const hashedFolder = "assets/";

const types: ReadonlyMap<string, string> = new Map([
  ["html", "text/html; charset=utf-8"],
  ["js", "text/javascript; charset=utf-8"],
  ["css", "text/css; charset=utf-8"],
  ["svg", "image/svg+xml"],
  ["png", "image/png"],
  ["ico", "image/x-icon"],
  ["woff2", "font/woff2"],
  ["json", "application/json"],
  ["webmanifest", "application/manifest+json"],
]);

/** Compressed forms, smallest first. */
const encodings = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;

/**
 * Sends a file of the page from memory. For any other path it sends `index.html`, which shows the page of that path.
 *
 * @throws {ConsoleFault} CONSOLE_NOT_FOUND, CONSOLE_METHOD, CONSOLE_NOT_BUILT
 */
export function sendFile(
  request: HttpRequest,
  response: HttpResponse,
  { files, path }: { readonly files: BuiltFiles; readonly path: string },
): void {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") {
    throw new ConsoleFault("CONSOLE_METHOD", "Cannot do this here: a page is got with GET", {
      details: { allow: "GET, HEAD" },
    });
  }
  if (!files.has(page)) throw notBuilt();
  const isCompressed = encodings.some(({ suffix }) => path.endsWith(suffix));
  const isFile = files.has(path) && !isCompressed;
  if (!isFile && (path.startsWith(hashedFolder) || isCompressed))
    throw new ConsoleFault(
      "CONSOLE_NOT_FOUND",
      "Cannot find this file: the console has been built anew; reload",
    );
  const name = isFile ? path : page;
  const encoding = chooseEncoding(request, files, name);
  const content = files.get(`${name}${encoding?.suffix ?? ""}`) as Uint8Array;
  response.writeHead(200, {
    ...consoleHeaders,
    "content-type": types.get(name.slice(name.lastIndexOf(".") + 1)) ?? "application/octet-stream",
    "content-length": content.byteLength,
    vary: "accept-encoding",
    ...(encoding !== undefined && { "content-encoding": encoding.name }),
    ...(name.startsWith(hashedFolder) && { "cache-control": "public, max-age=31536000, immutable" }),
  });
  if (method === "HEAD") response.end();
  else response.end(content);
}

function chooseEncoding(request: HttpRequest, files: BuiltFiles, name: string) {
  const accepted = readEncodings(request);
  return encodings.find((one) => accepted.includes(one.name) && files.has(`${name}${one.suffix}`));
}

function notBuilt(): ConsoleFault {
  return new ConsoleFault(
    "CONSOLE_NOT_BUILT",
    "Cannot show the console: its page is not built here; run `npm run build:console` and start `haft serve` again",
  );
}
