import type { PolicyApi } from "../../src/server/console/api/index.ts";
import { hostile } from "./fixture-data.ts";

interface Request {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

type PolicyAnswers = {
  readonly [Key in keyof PolicyApi]: (request: Request) => PolicyApi[Key]["answer"];
};

/** The answers for the page of the policy. */
export function createPolicyAnswers(now: number, isEmpty: boolean): PolicyAnswers {
  let own = {
    file: "/home/ada/.haft/config.yml",
    text: isEmpty ? "" : `# notes are safe\n- { tool: write, target: "**/notes.txt", decision: allow }\n`,
    digest: "1".repeat(64),
    isPending: !isEmpty,
  };
  let revoked = false;
  const rule = { decision: "ask", tool: "bash", reason: hostile } as const;
  const listed = (number: number, source: "default" | "own file", calls: number) => ({
    number,
    source,
    rule: source === "default" ? ({ decision: "allow", effect: "read", within: true } as const) : rule,
    unused: number === 2,
    decided: calls === 0 ? { calls } : { calls, last: { callId: "c_3997", at: now - 60_000 } },
  });
  return {
    "GET /policy": () => ({
      mode: "ask",
      rules: isEmpty ? [] : [listed(1, "default", 431), listed(2, "own file", 0), listed(3, "own file", 12)],
      looked: isEmpty ? 0 : 500,
      own,
      tests: isEmpty ? 0 : 2,
    }),
    "POST /policy/explain": ({ body }) => {
      const { tool, params } = body as { readonly tool: string; readonly params: unknown };
      return {
        tool,
        params,
        mode: "ask",
        trust: "trusted",
        agent: undefined,
        channel: "console",
        decision: "ask",
        outcome: "ask",
        effects: [
          {
            effect: { kind: "run", target: `npm test ${hostile}`, within: false },
            decision: "ask",
            rule: { number: 3, source: "own file", rule },
            others: [],
          },
        ],
        grants: [],
        whyAsked: undefined,
        inTheWay: [{ number: 3, source: "own file", rule }],
        toAllow: [`- { decision: allow, tool: ${tool}, effect: run, target: "npm test" }`],
        refusal: undefined,
        notes: [],
      };
    },
    "POST /policy/test": () => ({
      passed: false,
      results: [
        { name: "reads notes", passed: true, expected: "allow", decided: "allow", by: [], fault: undefined },
        {
          name: `asks ${hostile}`,
          passed: false,
          expected: "ask",
          decided: "allow",
          by: [],
          fault: undefined,
        },
      ],
    }),
    "POST /policy/try": ({ body }) => {
      const { text } = body as { readonly text: string };
      return {
        calls: 500,
        passedOver: 3,
        differences: text.includes("read")
          ? [
              {
                tool: "read",
                now: "allow",
                instead: "ask",
                by: JSON.stringify({ decision: "ask", tool: "read" }),
                count: 41,
                example: { callId: "c_3997", paramsText: `{"path":"${hostile}"}`, startedAt: now - 60_000 },
              },
            ]
          : [],
      };
    },
    "POST /policy/save": ({ body }) => {
      const { text } = body as { readonly text: string };
      own = { ...own, text, digest: "2".repeat(64), isPending: true };
      return own;
    },
    "GET /grants": ({ query }) =>
      isEmpty
        ? []
        : [
            {
              id: "g_1",
              state: revoked ? ("revoked" as const) : ("standing" as const),
              scope: "local",
              agentId: "writer",
              userId: undefined,
              toolName: "bash",
              toolVersion: "3",
              patterns: [
                { kind: "run" as const, target: `git push ${hostile}`, reach: "arguments" as const },
              ],
              folder: "/home/ada/shop",
              paramsText: undefined,
              term: "always" as const,
              expiresAt: undefined,
              by: "owner:console",
              origin: undefined,
              project: "/home/ada/shop",
              createdAt: now - 3_600_000,
              uses: 4,
              lastUsedAt: now,
              unusedAt: now + 86_400_000,
              revokedAt: undefined,
              revokedBy: undefined,
            },
          ].filter(({ state }) => state === "standing" || query.has("all")),
    "POST /grants/:id/revoke": () => {
      revoked = true;
      return { revoked: true };
    },
  };
}
