import { isRecord, nestsDeeperThan, parseJson } from "../../base/index.ts";
import { isJson } from "../http/json.ts";
import { type HttpRequest, readHeader } from "../http/port.ts";
import { readBody } from "../http/read-body.ts";
import { ConsoleFault } from "./errors.ts";

/** Length limit of a body. Texts that people edit, such as a configuration, are shorter. */
const mostBodyBytes = 1_048_576;
/** Maximum size of the body of a message, which may have files in base64. */
const mostMessageBytes = 8_388_608;
const messageEndpoints: readonly string[] = ["POST /chat/send", "POST /chat/sessions/:id/steer"];
const mostBodyDepth = 100;

/** Path and query of a request. */
export interface ConsoleAddress {
  /** Segments of the path, decoded once. A slash at the end gives an empty last segment. */
  readonly segments: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

/**
 * Parses path and query as they were sent. Nothing is normalised: a path that programs could read in two ways is refused.
 *
 * @throws {ConsoleFault} CONSOLE_PATH, CONSOLE_INPUT
 */
export function readAddress({ url = "" }: Pick<HttpRequest, "url">): ConsoleAddress {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const [first, ...rest] = path.split("/");
  if (first !== "" || rest.length === 0) throw strangePath();
  const last = rest.length - 1;
  const segments = rest.map((segment, at) => (segment === "" && at === last ? "" : readSegment(segment)));
  return { segments, query: readQuery(mark < 0 ? "" : url.slice(mark + 1)) };
}

/** Characters that a segment of a path may have, by RFC 3986. */
const segmentForm = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})+$/;

function readSegment(sent: string): string {
  if (!segmentForm.test(sent)) throw strangePath();
  let segment: string;
  try {
    segment = decodeURIComponent(sent);
  } catch {
    throw strangePath();
  }
  if (segment === "." || segment === ".." || /[/\\\p{Cc}]/u.test(segment)) throw strangePath();
  return segment;
}

function readQuery(text: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (query.has(name))
      throw new ConsoleFault("CONSOLE_INPUT", "Cannot read the address: a name is in its query twice");
    query.set(name, value);
  }
  return query;
}

function strangePath(): ConsoleFault {
  return new ConsoleFault(
    "CONSOLE_PATH",
    "Cannot read the address: its path has an empty or dotted segment, or a character that no segment has",
  );
}

/** The part of the console that a request is for. Links outside the console may lead to the page, but not to the API. */
export type Asked = "page" | "api";

/**
 * Refuses a request for another host name or port than the console's own, or from another page.
 *
 * @param served Host and port in the links of the console.
 * @throws {ConsoleFault} CONSOLE_ORIGIN
 */
export function checkOrigin(request: Pick<HttpRequest, "headers">, served: string, asked: Asked): void {
  if (readHeader(request, "host") !== served)
    throw strangeOrigin(`it was called by another name; open http://${served}/console/`);
  const origin = readHeader(request, "origin");
  if (origin !== undefined && origin !== `http://${served}`)
    throw strangeOrigin("another page sent it, and only the console's own page may");
  const site = readHeader(request, "sec-fetch-site");
  const isOwn = site === undefined || site === "same-origin" || (site === "none" && asked === "page");
  if (!isOwn) throw strangeOrigin("another page led here; open the link that `haft console` prints");
}

/**
 * Refuses a request of another user's program: on a machine of several users, each sees in the list of processes with
 * which link a browser is started. Root may do all, and stands for browsers outside of a virtual machine.
 *
 * @param user whose program sent the request; undefined if nobody can tell
 * @throws {ConsoleFault} CONSOLE_ORIGIN
 */
export function checkUser(user: number | undefined): void {
  const isOwn = user === undefined || user === 0 || user === process.getuid?.();
  if (!isOwn) throw strangeOrigin("a program of another user of this machine sent it");
}

function strangeOrigin(why: string): ConsoleFault {
  return new ConsoleFault("CONSOLE_ORIGIN", `Cannot answer this request: ${why}`);
}

/**
 * Reads the JSON body of a POST.
 *
 * @param endpoint the endpoint that it is for, which decides how long the body may be
 * @throws {ConsoleFault} CONSOLE_TYPE, CONSOLE_TOO_LONG, CONSOLE_INPUT
 */
export async function readJsonBody(request: HttpRequest, endpoint?: string): Promise<unknown> {
  if (!isJson(request))
    throw new ConsoleFault("CONSOLE_TYPE", "Cannot read the body: its Content-Type must be application/json");
  const most =
    endpoint !== undefined && messageEndpoints.includes(endpoint) ? mostMessageBytes : mostBodyBytes;
  const bytes = await readBody(request, most);
  if (bytes === undefined) {
    throw new ConsoleFault(
      "CONSOLE_TOO_LONG",
      `Cannot read the body: it is longer than ${most} bytes; send less`,
    );
  }
  const body = parseJson(bytes.toString());
  if (body === undefined) throw new ConsoleFault("CONSOLE_INPUT", "Cannot read the body: it is no JSON");
  if (nestsDeeperThan(body, mostBodyDepth) || hasPrototypeKey(body)) {
    throw new ConsoleFault(
      "CONSOLE_INPUT",
      `Cannot take the body: it is nested deeper than ${mostBodyDepth} levels, or has the key "__proto__"`,
    );
  }
  return body;
}

/** Whether any object in a JSON value has the key `__proto__`. The value must not be nested deeply. */
function hasPrototypeKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasPrototypeKey);
  if (!isRecord(value)) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasPrototypeKey);
}
