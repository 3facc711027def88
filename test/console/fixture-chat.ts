import { readFileSync } from "node:fs";
import type { ChatApi } from "../../src/server/console/api/index.ts";
import { hostile } from "./fixture-data.ts";

/** An answer in Markdown, with a link into the web and one that is none. */
const answer = readFileSync("test/fixtures/console/answer.md", "utf8");

/** A picture of one dot, as GIF in base64. */
export const dot = "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

interface Request {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

type ChatAnswers = { readonly [Key in keyof ChatApi]: (request: Request) => ChatApi[Key]["answer"] };
type Entry = ChatApi["GET /chat/sessions/:id"]["answer"]["rows"][number];
type Run = NonNullable<ChatApi["GET /chat/sessions/:id"]["answer"]["run"]>;

/** The session with as many entries as anybody has. */
export const longSession = "s_long";
const manyEntries = 5000;

/** The answers for the page of sessions. */
export function createChatAnswers(now: number, isEmpty: boolean): ChatAnswers {
  const session = (id: string) => ({
    id,
    scope: "local",
    agentId: "main",
    channel: "console",
    address: id,
    title: `What is to be bought? ${hostile}`,
    epoch: 1,
    lastSeq: isEmpty ? 0 : id === longSession ? manyEntries : 9,
    trust: "trusted" as const,
    createdAt: now - 90_000,
    changedAt: now - 5000,
    folder: "/home/ada/shop",
  });
  const run = (id: string): Run => ({
    id: "run_1",
    scope: "local",
    kind: "turn",
    sessionId: id,
    agentId: "main",
    parentId: undefined,
    rootId: "run_1",
    depth: 0,
    state: id === longSession ? "completed" : "paused",
    why: id === longSession ? undefined : "steps",
    waitFor: undefined,
    result: undefined,
    settings: null,
    trust: "trusted",
    steps: 2,
    leaseUntil: undefined,
    createdAt: now - 90_000,
    changedAt: now - 5000,
    endedAt: undefined,
    project: "/home/ada/shop",
  });
  return {
    "GET /chat/sessions": () =>
      isEmpty ? [] : ["s_1", longSession].map((id) => ({ ...session(id), run: run(id) })),
    "GET /chat/sessions/:id": ({ segments: [id = ""], query }) => {
      const { folder: _, ...shown } = session(id);
      const limit = Number(query.get("limit") ?? 100);
      const before = Number(query.get("before") ?? shown.lastSeq + 1);
      const after = query.has("after") ? Number(query.get("after")) : Math.max(0, before - 1 - limit);
      const last = Math.min(shown.lastSeq, after + limit, query.has("after") ? shown.lastSeq : before - 1);
      const rows = Array.from({ length: Math.max(0, last - after) }, (_one, at) =>
        createEntry(after + at + 1, now),
      );
      return {
        session: shown,
        run: isEmpty ? null : run(id),
        rows,
        head: shown.lastSeq,
        more: (rows[0]?.seq ?? 1) > 1,
        waiting: isEmpty
          ? []
          : [
              {
                id: "m_1",
                sender: "user",
                parts: [{ type: "text", text: `And bread. ${hostile}` }],
                how: "queue",
                trust: "trusted",
                at: now,
              },
            ],
      };
    },
    "POST /chat/send": () => ({ runId: "run_1", sessionId: "s_1" }),
    "POST /chat/sessions/:id/steer": () => ({ kept: true }),
    "POST /chat/sessions/:id/fork": () => session("s_2"),
    "POST /chat/sessions/:id/rename": () => session("s_1"),
    "POST /chat/sessions/:id/delete": () => ({ deleted: true }),
    "POST /chat/runs/:id/resume": () => ({ runId: "run_1", sessionId: "s_1" }),
    "POST /chat/runs/:id/interrupt": () => ({ interrupted: true }),
    "GET /chat/runs/:id/events": () => ({ events: [], next: 0, gap: false, over: true }),
  };
}

/** The entry with this number: the same one whenever it is asked for. Each answer is two entries long. */
function createEntry(seq: number, now: number): Entry {
  const facts = {
    seq,
    epoch: 1,
    runId: "run_1",
    tokens: 20,
    trust: "trusted" as const,
    private: false,
    at: now - 90_000 + seq,
  };
  switch (seq % 9) {
    case 1:
      return {
        ...facts,
        kind: "user",
        parts: [
          { type: "text", text: `Message ${seq} ${hostile}` },
          ...(seq === 1
            ? [
                { type: "text" as const, text: `<file path="list.txt">\nMilk ${hostile}\n</file>` },
                { type: "text" as const, text: `<file path="dot.gif" />` },
                { type: "image" as const, mimeType: "image/gif", data: dot },
              ]
            : []),
        ],
      };
    case 2:
      return { ...facts, kind: "note", about: "time", text: `It is noon. ${hostile}` };
    case 3:
      return {
        ...facts,
        kind: "answer",
        step: seq,
        model: "openai/gpt",
        stop: "calls",
        message: {
          role: "assistant",
          parts: [
            { type: "reasoning", text: `I look first. ${hostile}` },
            { type: "text", text: "Let me look." },
            { type: "call", id: "a", name: "read", input: JSON.stringify({ path: hostile }) },
            { type: "call", id: "b", name: "bash", input: "{ no json" },
          ],
        },
      };
    case 4:
    case 5:
      return {
        ...facts,
        kind: "result",
        callId: `run_1.${seq % 9 === 4 ? seq - 1 : seq - 2}.${seq % 9 === 4 ? 1 : 2}`,
        name: seq % 9 === 4 ? "read" : "bash",
        text: `Buy milk. ${hostile}`,
        failed: seq % 9 === 5,
        ...(seq % 9 === 5 && { code: "TOOL_INPUT" }),
      };
    case 6:
      return { ...facts, kind: "summary", text: `All before. ${hostile}`, keptFrom: 1, attempt: 1 };
    case 7:
      return { ...facts, kind: "interrupt", sender: `the user ${hostile}` };
    case 8:
      return { ...facts, kind: "parked", waitFor: `approval:q_1 ${hostile}` };
    default:
      return {
        ...facts,
        kind: "answer",
        step: seq,
        model: "openai/gpt",
        stop: "end",
        message: {
          role: "assistant",
          parts: [
            { type: "text", text: `# Milk ${seq}\n\n${hostile} `.repeat(8) },
            ...(seq === 9 ? [{ type: "text" as const, text: answer }] : []),
          ],
        },
      };
  }
}
