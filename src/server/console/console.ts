import { type App, JsonBytes, OwnerPin } from "../../app/index.ts";
import { type Clock, getErrorCode, getErrorMessage, isRecord, lazy, systemClock } from "../../base/index.ts";
import { type ConnectionEnds, findPeerUser } from "../../host/index.ts";
import { readBearerToken } from "../http/bearer-token.ts";
import { readEncodings } from "../http/encodings.ts";
import { sendJson } from "../http/json.ts";
import { MinuteCount } from "../http/minute-count.ts";
import { type HttpRequest, type HttpResponse, readHeader } from "../http/port.ts";
import { OwnerFault } from "../owner/owner-fault.ts";
import type { ApiFault, Endpoint, NewSession, SessionInfo } from "./api/index.ts";
import { ConsoleFault, findStatus } from "./errors.ts";
import { type ConsoleAddress, checkOrigin, checkUser, readAddress, readJsonBody } from "./guard.ts";
import { consoleHeaders } from "./headers.ts";
import { type ConsoleContext, consoleOwner, type Handler } from "./route.ts";
import { createRouter, type Router } from "./router.ts";
import { SavedFile, sendSavedFile } from "./saved-file.ts";
import { ConsoleSessions, type OpenSession } from "./sessions.ts";
import { type BuiltFiles, readBuiltFiles, sendFile } from "./static-files.ts";
import { readCursor, sendEvents } from "./stream.ts";

export interface ConsoleOptions {
  readonly app: App;
  /** Host and port of the server, such as `127.0.0.1:4280`. */
  readonly host: string;
  readonly version: string;
  /** Called with faults of haft itself, not with errors in requests. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
  /** Reads the files of the page. @default those in `dist/console/` */
  readonly files?: () => Promise<BuiltFiles>;
  /** Finds whose program made a connection. @default what the system knows */
  readonly findUser?: (ends: ConnectionEnds) => number | undefined;
}

/** Failed requests of all callers per minute. Requests with the token of a session are not counted. */
const mostRefused = 30;
/** Name of the person at the console in the ledger. */
const person = "person:console";
/** Path segments before those of an endpoint. */
const apiSegments = ["console", "api", "v1"] as const;
const sessionPath = "session";
const streamPath = "stream";

/** The console of one `haft serve`: its page, its API, and one session for each open tab. */
export class Console {
  readonly sessions: ConsoleSessions;
  readonly #options: ConsoleOptions;
  readonly #clock: Clock;
  readonly #refusals: MinuteCount;
  readonly #pin: OwnerPin;
  readonly #router: () => Promise<Router>;
  /** Controllers that end the stream of a session, by session id. */
  readonly #streams = new Map<string, AbortController>();
  #stopWatching: Promise<() => Promise<void>> | undefined;

  constructor(options: ConsoleOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#refusals = new MinuteCount(this.#clock, { admitted: 0, refused: mostRefused });
    this.#pin = new OwnerPin(options.app.home, this.#clock);
    this.#router = lazy(async () => {
      const { pageHandlers } = await import("./pages/index.ts");
      return createRouter(pageHandlers as Readonly<Record<string, Handler<Endpoint>>>);
    });
    this.sessions = new ConsoleSessions(this.#clock);
  }

  /** Makes a link that opens the console once, within a minute. */
  issueLink(): { readonly url: string; readonly endsAt: number } {
    const { code, endsAt } = this.sessions.issueCode();
    return { url: `http://${this.#options.host}/console/#${code}`, endsAt };
  }

  /** Whether a request has the token of a session. */
  readonly isIdentified = (request: Pick<HttpRequest, "headers">): boolean => {
    const token = readBearerToken(request);
    return token !== undefined && this.sessions.knows(token);
  };

  /** Answers a request of the console. Never rejects. */
  readonly handle = async (request: HttpRequest, response: HttpResponse): Promise<void> => {
    try {
      const address = readAddress(request);
      const isApi = address.segments[1] === "api";
      checkOrigin(request, this.#options.host, isApi ? "api" : "page");
      if (isApi) await this.#answerApi(request, response, address);
      else {
        const files = await (this.#options.files ?? readBuiltFiles)();
        const path = address.segments.slice(1).join("/");
        if (!files.has(path) && this.sessions.isExpected) this.#warm();
        sendFile(request, response, { files, path });
      }
    } catch (thrown) {
      this.#sendFault(request, response, thrown);
    }
  };

  /** Ends all sessions and streams. */
  async close(): Promise<void> {
    this.sessions.close();
    await (await this.#stopWatching)?.();
  }

  async #answerApi(
    request: HttpRequest,
    response: HttpResponse,
    { segments, query }: ConsoleAddress,
  ): Promise<void> {
    const { method = "" } = request;
    const rest = segments.slice(apiSegments.length);
    const isKnown = apiSegments.every((segment, at) => segments[at] === segment);
    const [path] = isKnown && rest.length === 1 ? rest : [];
    if (path === sessionPath && method === "POST") return send(response, await this.#openSession(request));
    const session = this.#enter(request);
    if (path === sessionPath && (method === "GET" || method === "DELETE")) {
      const ends = method === "DELETE" && { ended: this.sessions.end(session.id) };
      return send(response, ends || toInfo(session));
    }
    if (path === streamPath && method === "GET") return this.#stream(response, session, query);
    if (path === sessionPath || path === streamPath) {
      const allow = path === sessionPath ? "GET, POST, DELETE" : "GET";
      throw new ConsoleFault("CONSOLE_METHOD", `Cannot do this here: the methods are ${allow}`, {
        details: { allow },
      });
    }
    if (!isKnown)
      throw new ConsoleFault("CONSOLE_NOT_FOUND", "Cannot find this: the API is at /console/api/v1");
    const route = (await this.#router())(method, rest);
    const body = method === "POST" ? await readJsonBody(request, route.endpoint) : undefined;
    const left = new AbortController();
    let isAnswered = false;
    const leave = () => {
      // The connection of each answered request closes too, and an exception for nobody costs time.
      if (!isAnswered) left.abort();
    };
    response.on("close", leave);
    if (response.destroyed === true) leave();
    session.ended.addEventListener("abort", leave, { once: true });
    try {
      const { segments: named, handler } = route;
      send(
        response,
        await handler(await this.#context(request), { segments: named, query, body, signal: left.signal }),
      );
    } catch (error) {
      if (!left.signal.aborted) throw error;
      response.destroy();
    } finally {
      isAnswered = true;
      session.ended.removeEventListener("abort", leave);
    }
  }

  async #context(request: HttpRequest): Promise<ConsoleContext> {
    const { app, version } = this.#options;
    const records = await app.records();
    const json = readEncodings(request).includes("gzip") ? records.gzip : records.json;
    return { app, version, by: person, records, json };
  }

  /** @throws {ConsoleFault} CONSOLE_SESSION, CONSOLE_BUSY */
  #enter(request: HttpRequest): OpenSession {
    const token = readBearerToken(request);
    const session = token === undefined ? undefined : this.sessions.enter(token);
    if (session !== undefined) return session;
    throw this.#refuse("CONSOLE_SESSION", "it shows no token of a session, or that of one that has ended");
  }

  /** @throws {ConsoleFault} CONSOLE_LINK, CONSOLE_BUSY, CONSOLE_INPUT; {PinError} */
  async #openSession(request: HttpRequest): Promise<NewSession> {
    const body = await readJsonBody(request);
    const { code, pin } = isRecord(body) ? body : {};
    if (typeof code !== "string" || (pin !== undefined && typeof pin !== "string"))
      throw new ConsoleFault("CONSOLE_INPUT", 'Cannot open a session: the body must be {"code", "pin"?}');
    const opened = this.sessions.hasCode(code) && (await this.#redeem(code, pin, request));
    if (opened) return { token: opened.token, ...toInfo(opened.session) };
    const why = this.sessions.endReplayed(code)
      ? "its link was used already, and the session that it opened has ended, since two had the link"
      : "its link was used already, or is older than a minute";
    throw this.#refuse("CONSOLE_LINK", why);
  }

  async #redeem(code: string, pin: string | undefined, request: HttpRequest) {
    checkUser((this.#options.findUser ?? findPeerUser)(request.socket ?? {}));
    await this.#pin.check(pin);
    // Another tab may have used the code during the check.
    return this.sessions.redeem(code, readHeader(request, "user-agent") ?? "");
  }

  /** Loads the handlers and starts the records' thread while the browser still loads the page that will ask them. */
  #warm(): void {
    const list = async () => (await this.#options.app.records()).json.listCalls({ limit: 1 });
    Promise.all([list(), this.#router()]).catch(() => {}); // Whoever asks next is told.
  }

  #refuse(code: "CONSOLE_SESSION" | "CONSOLE_LINK", why: string): ConsoleFault {
    if (!this.#refusals.count("refused"))
      return new ConsoleFault(
        "CONSOLE_BUSY",
        "Cannot take the request: too many failed in this minute; wait one",
      );
    return new ConsoleFault(code, `Cannot take the request: ${why}; \`haft console\` opens a new one`);
  }

  async #stream(
    response: HttpResponse,
    session: OpenSession,
    query: ReadonlyMap<string, string>,
  ): Promise<void> {
    const after = readCursor(query.get("after"));
    const records = await this.#options.app.records();
    if (response.destroyed === true) return;
    this.#streams.get(session.id)?.abort();
    const stop = new AbortController();
    this.#streams.set(session.id, stop);
    const end = () => stop.abort();
    session.ended.addEventListener("abort", end, { once: true });
    await this.#watchQuestions();
    try {
      await sendEvents(response, {
        records,
        after,
        signal: stop.signal,
        clock: this.#clock,
        onAlive: session.touch,
      });
    } finally {
      session.ended.removeEventListener("abort", end);
      if (this.#streams.get(session.id) === stop) this.#streams.delete(session.id);
      await this.#watchQuestions();
    }
  }

  /** While a tab has a stream open, calls wait for an answer, since a person can see the question. */
  async #watchQuestions(): Promise<void> {
    if (this.#streams.size > 0 && this.#stopWatching === undefined) {
      const { approvals } = await this.#options.app.store();
      this.#stopWatching ??= approvals.watch({ kind: "console", identity: consoleOwner });
      await this.#stopWatching;
    } else if (this.#streams.size === 0 && this.#stopWatching !== undefined) {
      const stop = this.#stopWatching;
      this.#stopWatching = undefined;
      await (await stop)();
    }
  }

  #sendFault(request: HttpRequest, response: HttpResponse, thrown: unknown): void {
    // Nobody is there to be told, as one who hung up in the middle of a body.
    if (response.headersSent || response.destroyed === true) return void response.destroy();
    request.resume();
    const { status, fault: told, headers } = toFault(thrown);
    // What an error names may be what somebody took for something else.
    const fault = { ...told, error: this.#options.app.redact(told.error) };
    if (status === 500) this.#options.onError(thrown);
    // A browser that loads the page shows the text of a fault; other requests get JSON.
    if (status < 500 || readHeader(request, "sec-fetch-dest") !== "document")
      return sendJson(response, {
        status,
        text: JSON.stringify(fault),
        headers: { ...consoleHeaders, ...headers },
      });
    response.writeHead(status, { ...consoleHeaders, "content-type": "text/plain; charset=utf-8" });
    response.end(`${fault.error}\n`);
  }
}

function send(response: HttpResponse, answer: unknown): void {
  if (answer instanceof SavedFile) return sendSavedFile(response, answer);
  if (!(answer instanceof JsonBytes))
    return sendJson(response, {
      status: 200,
      text: JSON.stringify(answer) ?? "null",
      headers: consoleHeaders,
    });
  const { bytes, encoding } = answer;
  const headers =
    encoding === undefined ? consoleHeaders : { ...consoleHeaders, "content-encoding": encoding };
  sendJson(response, { status: 200, text: bytes, headers });
}

function toInfo({ id, endsAt }: OpenSession): SessionInfo {
  return { id, endsAt };
}

function toFault(thrown: unknown): {
  readonly status: number;
  readonly fault: ApiFault;
  readonly headers: Readonly<Record<string, string>>;
} {
  const status = thrown instanceof OwnerFault ? thrown.status : findStatus(thrown);
  if (status === undefined)
    return { status: 500, fault: { error: "Internal error", code: undefined }, headers: {} };
  const code = thrown instanceof OwnerFault ? (thrown.code ?? "CONSOLE_INPUT") : getErrorCode(thrown);
  const allow = thrown instanceof ConsoleFault ? thrown.details?.["allow"] : undefined;
  return {
    status,
    fault: { error: getErrorMessage(thrown), code },
    headers: {
      ...(typeof allow === "string" && { allow }),
      ...(status === 401 && { "www-authenticate": 'Bearer realm="haft console"' }),
      ...(status === 413 && { connection: "close" }),
      ...(status === 429 && { "retry-after": "60" }),
    },
  };
}
