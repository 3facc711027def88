import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { PinError } from "../../app/index.ts";
import { CodedError } from "../../base/index.ts";
import { openListener } from "../../host/index.ts";
import type { ApprovalAnswer } from "../../kernel/index.ts";
import type { KeptApproval } from "../../modules/approvals/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { isOwnerRequest } from "./owner-endpoint.ts";
import { createOwnerHandler, type OwnerApprovals, type OwnerHttpOptions } from "./owner-http.ts";

const token = "the-owner-s-token";
const kept: KeptApproval = {
  id: "a_1",
  digest: "d_1",
  state: "pending",
  callId: "c_1",
  toolName: "bash",
  reusable: true,
  toolTitle: "bash",
  toolVersion: "1",
  params: { command: "rm a\u202eb" },
  effects: [{ kind: "run", target: "rm a\u202eb", within: false }],
  folder: "/w/p",
  reason: "no rule allows it",
  offers: [
    { id: "exact", label: "exactly this call", covers: "rm a", leaves: "rm b", terms: ["session", "time"] },
  ],
  scope: "local",
  agentId: undefined,
  userId: undefined,
  origin: { channel: "mcp", peer: "never shown" },
  project: undefined,
  approvers: ["owner:*"],
  createdAt: 1,
  waitsUntil: 2,
  expiresAt: 2,
  answer: undefined,
  answeredAt: undefined,
  usedAt: undefined,
  usedBy: undefined,
};

/** One approval, and the answers that it got. */
function oneApproval(fault?: string): OwnerApprovals & { readonly answers: ApprovalAnswer[] } {
  const answers: ApprovalAnswer[] = [];
  return {
    answers,
    list: async ({ state } = {}) => (state === undefined || state === "pending" ? [kept] : []),
    get: async (id) => (id === kept.id ? kept : undefined),
    async answer(_id, answer) {
      if (fault !== undefined) throw new CodedError(fault, "Cannot answer it: so it is");
      answers.push(answer);
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

type Send = (
  method: string,
  path: string,
  options?: {
    readonly body?: unknown;
    readonly headers?: Record<string, string>;
    readonly token?: string | null;
  },
) => Promise<Answer>;

async function serve(
  approvals: OwnerApprovals,
  options: Pick<OwnerHttpOptions, "checkPin"> = {},
): Promise<Send> {
  const handler = createOwnerHandler({ approvals, token, clock: createFakeClock(), ...options });
  const listener = await openListener({ port: 0, handler });
  onTestFinished(() => listener.close(0));
  return (method, path, { body, headers = {}, token: shown = token } = {}) =>
    new Promise((resolve, reject) => {
      const own = {
        ...(shown !== null && { authorization: `Bearer ${shown}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      };
      const sent = request(
        {
          host: "127.0.0.1",
          port: listener.port,
          method,
          path,
          agent: false,
          headers: { ...own, ...headers },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (piece: string) => void (text += piece));
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              body: JSON.parse(text) as Record<string, unknown>,
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body));
    });
}

test("the owner sees what waits, whole and with nothing hidden in it", async () => {
  const send = await serve(oneApproval());
  const listed = await send("GET", "/approvals");
  const { origin: _origin, ...seen } = kept;
  const shown = JSON.parse(JSON.stringify(seen)) as object;
  expect([listed.status, listed.body]).toEqual([200, { approvals: [{ ...shown, channel: "mcp" }] }]);
  expect(listed.text).toContain("rm a\\u202eb");
  expect(listed.text).toMatch(/^[\n\x20-\x7e]*$/);
  expect(listed.headers).toMatchObject({ "cache-control": "no-store", "content-type": "application/json" });
  expect((await send("GET", "/approvals?state=used")).body).toEqual({ approvals: [] });
  expect((await send("GET", "/approvals?state=all")).body).toMatchObject({ approvals: [{ id: "a_1" }] });
  expect((await send("GET", "/approvals/a_1")).body).toMatchObject({ id: "a_1", state: "pending" });
});

test.for([
  {
    body: { decision: "approve", digest: "d_1" },
    answer: { approved: true, by: "owner:http", shown: "d_1" },
  },
  {
    body: { decision: "approve", digest: "d_1", remember: { offer: "exact", term: 60_000 } },
    answer: { approved: true, by: "owner:http", shown: "d_1", remember: { offer: "exact", term: 60_000 } },
  },
  { body: { decision: "deny" }, answer: { approved: false, by: "owner:http" } },
  { body: { decision: "deny", reason: "no" }, answer: { approved: false, by: "owner:http", reason: "no" } },
])("the owner answers with $body", async ({ body, answer }) => {
  const approvals = oneApproval();
  const send = await serve(approvals);
  expect((await send("POST", "/approvals/a_1", { body })).status).toBe(200);
  expect(approvals.answers).toEqual([answer]);
});

test.for([
  { what: "nothing", body: "", says: /must be a JSON object/ },
  { what: "no JSON", body: "{decision: approve}", says: /must be a JSON object/ },
  { what: "a list", body: ["approve"], says: /must be a JSON object/ },
  { what: "no decision", body: {}, says: /"approve" or "deny"/ },
  { what: "another decision", body: { decision: "yes" }, says: /"approve" or "deny"/ },
  {
    what: "a name that means nothing",
    body: { decision: "approve", forever: true },
    says: /"forever" is not/,
  },
  {
    what: "an offer that was not made",
    body: { decision: "approve", digest: "d_1", remember: { offer: "all", term: "session" } },
    says: /exact \(session, time\) alone/,
  },
  {
    what: "a term that was not offered",
    body: { decision: "approve", digest: "d_1", remember: { offer: "exact", term: "always" } },
    says: /exact \(session, time\) alone/,
  },
  {
    what: "a time that is none",
    body: { decision: "approve", digest: "d_1", remember: { offer: "exact", term: -1 } },
    says: /"remember" must be/,
  },
  {
    what: "a no to be remembered",
    body: { decision: "deny", remember: { offer: "exact", term: "session" } },
    says: /only a yes/,
  },
  { what: "a yes to nothing that was shown", body: { decision: "approve" }, says: /a yes needs "digest"/ },
  { what: "a digest that is none", body: { decision: "approve", digest: 1 }, says: /a yes needs "digest"/ },
  { what: "a reason for a yes", body: { decision: "approve", reason: "why not" }, says: /belongs to a no/ },
  { what: "a very long reason", body: { decision: "deny", reason: "x".repeat(501) }, says: /at most 500/ },
])("an answer with $what decides nothing", async ({ body, says }) => {
  const approvals = oneApproval();
  const send = await serve(approvals);
  const refused = await send("POST", "/approvals/a_1", { body });
  expect([refused.status, refused.body["error"]]).toEqual([400, expect.stringMatching(says)]);
  expect(approvals.answers).toEqual([]);
});

test.for([
  { fault: "APPROVAL_ANSWERED", status: 409 },
  { fault: "APPROVAL_EXPIRED", status: 409 },
  { fault: "APPROVAL_NOT_FOUND", status: 404 },
  { fault: "APPROVAL_NOT_YOURS", status: 403 },
  { fault: "APPROVAL_CHANGED", status: 409 },
])("an approval that can't be answered for $fault is refused with $status", async ({ fault, status }) => {
  const send = await serve(oneApproval(fault));
  const refused = await send("POST", "/approvals/a_1", { body: { decision: "approve", digest: "d_1" } });
  expect(refused).toMatchObject({
    status,
    body: { code: fault, error: expect.stringContaining("so it is") },
  });
});

test.for([
  { what: "no token", token: null },
  { what: "another token", token: "the-client-s-token" },
  { what: "the beginning of the token", token: token.slice(0, -1) },
])("who shows $what sees nothing and answers nothing", async ({ token: shown }) => {
  const approvals = oneApproval();
  const send = await serve(approvals);
  for (const [method, path] of [
    ["GET", "/approvals"],
    ["GET", "/approvals/a_1"],
    ["POST", "/approvals/a_1"],
    ["POST", "/approvals/nothing"],
  ] as const) {
    const body = method === "POST" ? { decision: "approve" } : undefined;
    const refused = await send(method, path, { token: shown, body });
    expect(refused).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="haft owner"' },
      body: { error: expect.stringContaining("send the owner's token") },
    });
    expect(refused.text).not.toContain("bash");
  }
  expect(approvals.answers).toEqual([]);
});

test.for([{ host: "attacker.example" }, { origin: "https://attacker.example" }, { origin: "null" }])(
  "a page of another site is refused although it has the token: %j",
  async (headers) => {
    const approvals = oneApproval();
    const send = await serve(approvals);
    const refused = await send("POST", "/approvals/a_1", { body: { decision: "approve" }, headers });
    expect(refused.status).toBe(403);
    expect(approvals.answers).toEqual([]);
  },
);

test("the token alone lists nothing and answers nothing where there is a PIN", async () => {
  const approvals = oneApproval();
  const checkPin = async (pin?: string) => {
    if (pin === "2468") return;
    throw new PinError(pin === undefined ? "PIN_REQUIRED" : "PIN_WRONG", "Cannot go on: no PIN");
  };
  const send = await serve(approvals, { checkPin });
  const body = { decision: "approve", digest: "d_1" };
  const wrong = { "haft-pin": "1357" };
  for (const [method, path] of [
    ["GET", "/approvals"],
    ["GET", "/approvals/a_1"],
    ["POST", "/approvals/a_1"],
  ] as const) {
    const given = method === "POST" ? { body } : {};
    expect(await send(method, path, given)).toMatchObject({ status: 401, body: { code: "PIN_REQUIRED" } });
    const refused = await send(method, path, { ...given, headers: wrong });
    expect(refused).toMatchObject({ status: 403, body: { code: "PIN_WRONG" } });
    expect(refused.text).not.toContain("bash");
  }
  expect(approvals.answers).toEqual([]);
  expect((await send("POST", "/approvals/a_1", { body, headers: { "haft-pin": "2468" } })).status).toBe(200);
  expect(approvals.answers).toHaveLength(1);
});

test("what is not there is not found, and what can't be done is said", async () => {
  const send = await serve(oneApproval());
  expect(await send("GET", "/approvals/a_2")).toMatchObject({
    status: 404,
    body: { code: "APPROVAL_NOT_FOUND" },
  });
  expect((await send("GET", "/approvals/a_1/more")).status).toBe(404);
  expect((await send("GET", "/approvals?state=odd")).status).toBe(400);
  expect(await send("POST", "/approvals", { body: {} })).toMatchObject({
    status: 405,
    headers: { allow: "GET" },
  });
  expect((await send("DELETE", "/approvals/a_1")).status).toBe(405);
  const plain = {
    body: "decision=approve",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  };
  expect((await send("POST", "/approvals/a_1", plain)).status).toBe(415);
});

test("an answer that is too long is refused, and nothing of it is kept", async () => {
  const approvals = oneApproval();
  const send = await serve(approvals);
  const refused = await send("POST", "/approvals/a_1", {
    body: { decision: "deny", reason: "x".repeat(100_000) },
  });
  expect(refused.status).toBe(413);
  expect(approvals.answers).toEqual([]);
});

test("guesses at the token are slowed down, and don't keep the owner out", async () => {
  const send = await serve(oneApproval());
  const guesses: number[] = [];
  for (let guess = 0; guess < 32; guess++) {
    guesses.push((await send("GET", "/approvals", { token: `guess-${guess}` })).status);
  }
  expect(guesses.slice(29)).toEqual([401, 429, 429]);
  expect((await send("GET", "/approvals")).status).toBe(200);
});

test("isOwnerRequest() knows the owner's side by its path", () => {
  const urls = [
    "/approvals",
    "/approvals/a_1",
    "/approvals?state=all",
    "/approvals/",
    "/approvalsx",
    "/mcp",
    "/",
    undefined,
  ];
  expect(urls.filter((url) => isOwnerRequest({ url }))).toEqual(urls.slice(0, 4));
});
