// The built console and an API of constants, so that its pages can be seen in a browser without haft behind them.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, normalize } from "node:path";
import type { CallCount } from "../../src/app/index.ts";
import type { ConsoleApi, QuestionAnswer, ViewsApi } from "../../src/server/console/api/index.ts";
import { readBuilt } from "./built-files.ts";
import { createCallActs } from "./fixture-calls.ts";
import { createChatAnswers } from "./fixture-chat.ts";
import { createCostAnswers } from "./fixture-cost.ts";
import {
  createCall,
  createNow,
  createQuestion,
  createQuestions,
  day,
  diff,
  hostile,
} from "./fixture-data.ts";
import { createMemoryFixture, type MemoryFixture } from "./fixture-memory.ts";
import { createPolicyAnswers } from "./fixture-policy.ts";
import { answerServers } from "./fixture-servers.ts";
import { createTasksFixture, type TasksFixture } from "./fixture-tasks.ts";
import { answerTools } from "./fixture-tools.ts";
import { createTraceAnswers } from "./fixture-trace.ts";

/** What the API answers with: nothing, much, or faults. */
export type FixtureKind = "empty" | "full" | "error";

/** A console that is served for a test. */
export interface FixtureConsole {
  readonly url: string;
  /** The address that opens the console. */
  readonly link: string;
  /** The answers that were given. */
  readonly answers: readonly { readonly id: string; readonly answer: QuestionAnswer }[];
  /** The requests that came, as `GET /calls?limit=80`. */
  readonly requests: readonly string[];
  /** Tells the streams that are open. */
  readonly emit: (events: readonly { readonly kind: string; readonly id: string }[]) => void;
  /** The newest call from now on. */
  readonly setHead: (seq: number) => void;
  /** A question that waits from now on. */
  readonly ask: (id: string, change?: Parameters<typeof createQuestion>[2]) => void;
  /** The notes of every call from now on. */
  readonly note: (notes: readonly string[]) => void;
  /** A text that stands before every other text of all answers from now on. */
  readonly setCanary: (text: string) => void;
  /** The owner's PIN from now on. */
  readonly setPin: (pin: string) => void;
  readonly memory: MemoryFixture;
  readonly tasks: TasksFixture;
  readonly endSession: () => void;
  readonly endStreams: () => void;
  readonly countStreams: () => number;
  /** Makes the link good once more. */
  readonly renew: () => void;
  readonly close: () => Promise<void>;
}

/** As the server of the console has it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

interface Request {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

type AllHandlers = {
  readonly [Key in keyof ConsoleApi]: (request: Request) => ConsoleApi[Key]["answer"];
};
/** The pages that have a part of their own in the browser answer; another address is not found. */
type FixtureHandlers = Omit<AllHandlers, keyof ViewsApi> & Partial<Pick<AllHandlers, keyof ViewsApi>>;

/** @param now Unix ms that the constants are around */
export async function serveFixture(
  folder: string,
  kind: FixtureKind,
  {
    head: firstHead = 4001,
    now = Date.now(),
    pin: firstPin,
  }: { readonly head?: number; readonly now?: number; readonly pin?: string } = {},
): Promise<FixtureConsole> {
  const built = readBuilt(folder);
  const code = "code-of-the-fixture";
  let token: string | undefined;
  let pin = firstPin;
  let canary = "";
  let head = kind === "empty" ? 0 : firstHead;
  let notes: readonly string[] = ["the file was changed since it was read", hostile];
  const answers: { id: string; answer: QuestionAnswer }[] = [];
  const requests: string[] = [];
  const streams = new Set<ServerResponse>();
  let eventId = 0;

  const questions = kind === "empty" ? [] : [...createQuestions(now)];
  const memory = createMemoryFixture(kind === "empty", now);
  const tasks = createTasksFixture(kind === "empty", now);
  const handlers = createHandlers();
  const server = createServer((request, response) => {
    void answerRequest(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    response.setHeader("content-security-policy", policy);
    response.setHeader("x-content-type-options", "nosniff");
    if (!pathname.startsWith("/console/api/v1/")) return sendFile(pathname, response);
    const path = pathname.slice("/console/api/v1".length);
    const send = (status: number, value: unknown) => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
      response.end(JSON.stringify(value));
    };
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    requests.push(`${request.method} ${path}${searchParams.size === 0 ? "" : `?${searchParams.toString()}`}`);
    if (path === "/session") {
      const given = body as { readonly code?: unknown; readonly pin?: unknown };
      if (token !== undefined || given.code !== code)
        return send(401, {
          error: "This link was used, or is too old: run `haft console`",
          code: "CONSOLE_CODE",
        });
      if (pin !== undefined && given.pin !== pin)
        return send(
          403,
          given.pin === undefined
            ? { error: "The owner has a PIN: give it", code: "PIN_REQUIRED" }
            : { error: "This is not the owner's PIN", code: "PIN_WRONG" },
        );
      token = "token-of-the-fixture";
      return send(200, { token });
    }
    if (request.headers.authorization !== `Bearer ${token}`)
      return send(401, { error: "The session is over: run `haft console`", code: "CONSOLE_SESSION" });
    if (path === "/stream") return openStream(response);
    if (kind === "error")
      return send(500, {
        error: "Cannot read the store: its file is damaged. Bring back a copy with `haft restore`.",
        code: "STORE_DAMAGED",
      });
    const yes = body as
      | { readonly decision?: string; readonly act?: string; readonly pin?: string }
      | undefined;
    const isYes = yes?.decision === "approve" || yes?.act === "approve" || path === "/secrets/delete";
    if (isYes && yes?.pin !== pin)
      return send(403, { error: "The owner has a PIN: give it", code: "PIN_REQUIRED" });
    if (memory.isOutdated(path, body))
      return send(409, { error: "Cannot change the entry: it was changed", code: "CONSOLE_CHANGED" });
    if (tasks.isOutdated(path, body))
      return send(409, { error: "Cannot change the task: it was changed", code: "CONSOLE_CHANGED" });
    for (const [key, handle] of Object.entries(handlers)) {
      const [method, pattern = ""] = key.split(" ");
      const found = new RegExp(`^${pattern.replaceAll(/:\w+/g, "([^/]+)")}$`).exec(path);
      if (method !== request.method || found === null) continue;
      const answer: unknown = handle({
        segments: found.slice(1).map(decodeURIComponent),
        query: searchParams,
        body,
      });
      if (path.endsWith("/file") && answer !== undefined) {
        const { name, bytes } = answer as { readonly name: string; readonly bytes: Uint8Array };
        response.writeHead(200, {
          "content-type": "application/octet-stream",
          "content-disposition": `attachment; filename="${name}"`,
        });
        response.end(bytes);
        return;
      }
      return answer === undefined
        ? send(404, { error: "There is no such call: `haft audit` lists them", code: "CALL_NOT_FOUND" })
        : send(
            200,
            spoil(answer, (text) => (canary === "" ? text : canary + text)),
          );
    }
    send(404, { error: "There is no such endpoint", code: "CONSOLE_NOT_FOUND" });
  }

  function openStream(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(": open\n\n");
    streams.add(response);
    response.on("close", () => streams.delete(response));
  }

  function sendFile(pathname: string, response: ServerResponse): void {
    const name = normalize(pathname.replace(/^\/console\/?/, ""));
    const isAsset = name.startsWith("assets/");
    const file = isAsset ? name : "index.html";
    const content = built.get(file);
    if (content === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    response.end(content);
  }

  function createHandlers(): FixtureHandlers {
    const isWanted = (query: URLSearchParams, seq: number): boolean => {
      const call = createCall(seq, head, now);
      const text = query.get("text");
      const states = query.get("states")?.split(",");
      const tools = query.get("tools")?.split(",");
      const ids = query.get("callIds")?.split(",");
      return (
        (text === null || `${call.paramsText} ${call.summary}`.includes(text)) &&
        states?.includes(call.state) !== false &&
        tools?.includes(call.toolName) !== false &&
        ids?.includes(call.callId) !== false &&
        call.startedAt >= Number(query.get("since") ?? 0) &&
        call.startedAt < Number(query.get("until") ?? Number.POSITIVE_INFINITY)
      );
    };
    const newest = () => (head % 2 === 0 ? head - 1 : head);
    return {
      ...memory.handlers,
      ...tasks.handlers,
      ...createChatAnswers(now, kind === "empty"),
      ...createPolicyAnswers(now, kind === "empty"),
      ...createCostAnswers(now, kind === "empty"),
      ...createTraceAnswers(now, kind === "empty"),
      "GET /now": () => createNow(now, kind === "empty"),
      "POST /calls/:id/cancel": () => ({ cancelled: true }),
      "GET /questions": ({ query }) =>
        query.get("state") === "all" ? questions : questions.filter(({ state }) => state === "pending"),
      "GET /questions/:id": ({ segments: [id] }) => {
        const question = questions.find((one) => one.id === id);
        return question === undefined
          ? (undefined as never)
          : { question, diff: id === "q_2" ? diff : undefined, covered: { exact: 1, wider: 14 } };
      },
      "POST /questions/:id/answer": ({ segments: [id = ""], body }) => {
        const answer = body as QuestionAnswer;
        answers.push({ id, answer });
        const at = questions.findIndex((one) => one.id === id);
        const question = questions[at];
        if (question === undefined) return undefined as never;
        const by = "person:console";
        const answered = {
          ...question,
          state: answer.decision === "approve" ? ("approved" as const) : ("denied" as const),
          answer:
            answer.decision === "approve"
              ? { approved: true as const, by }
              : {
                  approved: false as const,
                  by,
                  ...(answer.reason !== undefined && { reason: answer.reason }),
                },
          answeredAt: now,
        };
        questions[at] = answered;
        return answered;
      },
      "GET /calls": ({ query }) => {
        const limit = Number(query.get("limit") ?? 50);
        const after = query.get("after");
        const rows = [];
        let seq: number;
        let more = false;
        const step = after === null ? -2 : 2;
        if (after === null) seq = Math.min(newest(), Number(query.get("before") ?? head + 1) - 1);
        else seq = Number(after) + 1;
        if (seq % 2 === 0) seq += after === null ? -1 : 1;
        if (after === null && query.has("until"))
          seq = Math.min(
            seq,
            head - Math.floor((((now - Number(query.get("until"))) / (60 * day)) * head) / 2) * 2 + 3,
          );
        for (let looked = 0; seq >= 1 && seq <= newest() && looked < 50_000; seq += step, looked++) {
          if (seq % 2 === 0) seq -= 1;
          if (!isWanted(query, seq)) continue;
          if (rows.length === limit) {
            more = true;
            break;
          }
          rows.push(createCall(seq, head, now));
        }
        return { rows, head: newest(), more };
      },
      "GET /calls/count": ({ query }) => countCalls(query, isWanted),
      "GET /indexing": () => ({}),
      "GET /calls/:id": ({ segments: [id = ""] }) => {
        const seq = Number(/^c_(\d+)$/.exec(id)?.[1] ?? 0);
        if (seq < 1 || seq > head) return undefined as never;
        const call = createCall(seq, head, now);
        return {
          call: {
            ...call,
            notes,
            artifactId: seq % 4 === 1 ? "a_0123456789abcdefghij" : undefined,
            ...(seq === 11 && {
              decision: { decision: "allow" as const, by: "person:ada" },
              erased: true,
              paramsText: "",
              summary: undefined,
            }),
          },
          inner:
            seq % 4 === 1
              ? [createCall(Math.max(1, seq - 2), head, now), createCall(Math.max(1, seq - 4), head, now)]
              : [],
          undoable: seq % 4 === 1 ? [{ path: "/home/ada/shop/src/index.ts", change: "changed" }] : [],
          command: `haft call ${call.toolName} --arg path=${hostile}`,
        };
      },
      "POST /calls/:id/undo": () => ({ text: "1 file is as it was before." }),
      ...createCallActs(now),
      ...answerTools(now, kind === "empty", (id, change) =>
        questions.unshift(createQuestion(id, now, change)),
      ),
      ...answerServers(now, kind === "empty"),
      "POST /verify": () => ({
        valid: true,
        rows: head,
        erased: 0,
        head: { seq: head, hash: "f".repeat(64) },
      }),
    };
  }

  function countCalls(
    query: URLSearchParams,
    isWanted: (query: URLSearchParams, seq: number) => boolean,
  ): CallCount[] {
    const by = query.get("by");
    const groups = new Map<string, { calls: number; failed: number }>();
    // A sample stands for all: what is counted is seen in bars.
    const step = (Math.floor(head / 4000) | 1) * 2;
    for (let seq = 1; seq <= head; seq += step) {
      if (!isWanted(query, seq)) continue;
      const call = createCall(seq, head, now);
      const span = by === "hour" ? 3_600_000 : day;
      const value =
        by === "tool"
          ? call.toolName
          : by === "agent"
            ? (call.agentId ?? "")
            : String(Math.floor(call.startedAt / span) * span);
      const group = groups.get(value) ?? { calls: 0, failed: 0 };
      group.calls += step / 2;
      if (call.state === "failed") group.failed += step / 2;
      groups.set(value, group);
    }
    return [...groups].map(([value, counts]) => ({
      value,
      ...counts,
      stopped: 0,
      p50Ms: 4,
      p95Ms: 40,
      p99Ms: 90,
      lastAt: now,
    }));
  }

  return {
    url,
    link: `${url}/console/#${code}`,
    answers,
    requests,
    emit: (events) => {
      eventId++;
      for (const stream of streams) stream.write(`id: ${eventId}\ndata: ${JSON.stringify(events)}\n\n`);
    },
    setHead: (seq) => {
      head = seq;
    },
    ask: (id, change) => {
      questions.unshift(createQuestion(id, now, change));
    },
    note: (given) => {
      notes = given;
    },
    setCanary: (text) => {
      canary = text;
    },
    setPin: (given) => {
      pin = given;
    },
    memory,
    tasks,
    endSession: () => {
      token = "";
    },
    renew: () => {
      token = undefined;
    },
    countStreams: () => streams.size,
    endStreams: () => {
      for (const stream of streams) stream.end();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Words that pages choose by, rather than show. */
const chosenBy: ReadonlySet<string> = new Set([
  "state",
  "kind",
  "decision",
  "for",
  "from",
  "to",
  "term",
  "terms",
  "value",
  "type",
]);

/** The value with every text in it changed, names of fields included where a tool chooses them. */
function spoil(value: unknown, change: (text: string) => string, name = ""): unknown {
  if (typeof value === "string") return chosenBy.has(name) ? value : change(value);
  if (Array.isArray(value)) return value.map((one) => spoil(one, change, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      name === "params" ? change(key) : key,
      spoil(one, change, key),
    ]),
  );
}
