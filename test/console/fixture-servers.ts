import type { ConsoleApi, ServerDetail, ServersApi } from "../../src/server/console/api/index.ts";
import { hostile } from "./fixture-data.ts";

interface Request {
  readonly query: URLSearchParams;
  readonly body: unknown;
}
type Answers = { readonly [Key in keyof ServersApi]: (request: Request) => ConsoleApi[Key]["answer"] };
type State = ServerDetail["state"];

const plain = {
  tools: 0,
  quarantined: [],
  problems: [],
  calls: 0,
  failures: 0,
  reconnects: 0,
  strays: 0,
  file: "/home/ada/.haft/config.yml",
} as const;

function createStates(now: number): readonly State[] {
  return [
    {
      ...plain,
      server: "github",
      status: "ready",
      tools: 2,
      listAgeMs: 4000,
      transport: "streamable-http",
      protocolVersion: "2025-11-25",
      serverInfo: { name: `GitHub ${hostile}`, version: "1.4.0" },
      about: `Issues and pull requests ${hostile}`,
      calls: 431,
      failures: 3,
      reconnects: 1,
      strays: 2,
      problems: [`two tools are called "search" ${hostile}`],
    },
    {
      ...plain,
      server: "database",
      status: "failed",
      reason: `its process ended with code 3 ${hostile}`,
      code: "MCP_PROCESS",
      nextTryAt: now + 30_000,
      transport: "stdio",
    },
    {
      ...plain,
      server: "tracker",
      status: "failed",
      reason: "it lets nobody in without a login",
      code: "MCP_LOGIN_REQUIRED",
    },
    { ...plain, server: "theirs", status: "untrusted", file: "/home/ada/shop/haft.config.yml" },
  ];
}

/** The answers of the page of servers. */
export function answerServers(now: number, isEmpty: boolean): Answers {
  const states = isEmpty ? [] : [...createStates(now)];
  const accepted = new Set<string>();
  let loginState: ServerDetail["loginState"];
  const find = (name: unknown) => states.find(({ server }) => server === name) as State;
  const readName = (body: unknown) => (body as { readonly name: string }).name;
  const after = `{"description":"Make an issue, and mail it."}`;
  return {
    "GET /servers": () => states,
    "GET /server": ({ query }) => {
      const name = query.get("name");
      const state = find(name);
      if (state === undefined) return undefined as never;
      const isWeb = name === "github" || name === "tracker";
      return {
        state,
        server: isWeb
          ? { name: state.server, url: "https://mcp.example/mcp" }
          : { name: state.server, command: "node", args: ["db.js", hostile], env: { DB: "…" } },
        place: "user",
        triedAt: now - 12_000,
        stderr: isWeb ? "" : `no database at \u001b[31mlocalhost\u001b[0m ${hostile}\n`,
        tools: ["github_create_issue", "make_all"].slice(0, state.tools).map((tool) => ({
          name: tool,
          description: `Makes one ${hostile}`,
          tokens: 90,
        })),
        tokens: 90 * state.tools,
        waiting:
          name === "github" && !accepted.has("create_issue")
            ? [
                {
                  tool: "create_issue",
                  isNew: false,
                  after,
                  diff: [
                    null,
                    { kind: " ", text: "description:" },
                    { kind: "-", text: "  Make an issue." },
                    { kind: "+", text: `  Make an issue, and mail it. ${hostile}` },
                  ],
                },
              ]
            : [],
        login:
          name === "github"
            ? { issuer: "https://login.example", scope: "issues", expiresAt: now + 3_600_000, renews: true }
            : undefined,
        loginState: name === "tracker" ? loginState : undefined,
        command: `haft mcp status ${state.server}`,
      };
    },
    "POST /server/restart": ({ body }) => find(readName(body)),
    "POST /server/test": ({ body }) =>
      find(readName(body)).status === "ready"
        ? { ok: true, ms: 14 }
        : { ok: false, ms: 3, error: `no answer ${hostile}` },
    "POST /server/accept": ({ body }) => {
      accepted.add((body as { readonly tool: string }).tool);
      return { accepted: true };
    },
    "POST /server/refuse": ({ body }) => {
      accepted.add((body as { readonly tool: string }).tool);
      return { file: `/home/ada/.haft/config.yml ${hostile}` };
    },
    "POST /server/login": () => {
      loginState = {
        state: "waiting",
        url: `https://login.example/authorize?state=1&next=${encodeURIComponent(hostile)}`,
      };
      return loginState;
    },
    "POST /server/logout": () => ({ loggedOut: true, revoked: false }),
    "POST /servers/read": () => ({
      servers: [
        {
          server: {
            name: "files",
            command: "npx",
            args: ["-y", "some server", hostile],
            env: { TOKEN: "…" },
          },
          notes: [`"type" is not ours, and left out ${hostile}`],
          needs: {
            hosts: ["registry.npmjs.org"],
            paths: ["~/.npm"],
            secrets: [],
            note: "Choose its folder.",
          },
          secrets: ["TOKEN"],
          hasBareSecret: true,
          isTaken: false,
        },
        {
          server: { name: "github", url: "https://mcp.example/mcp" },
          notes: [],
          needs: undefined,
          secrets: [],
          hasBareSecret: false,
          isTaken: true,
        },
      ],
      passedOver: [{ name: `odd ${hostile}`, reason: "it has neither a command nor an address" }],
    }),
    "POST /servers/add": ({ body }) => {
      const { names } = body as { readonly names: readonly string[] };
      for (const server of names) states.push({ ...plain, server, status: "ready", transport: "stdio" });
      return { file: "/home/ada/.haft/config.yml", names, secrets: ["FILES_TOKEN"] };
    },
  };
}
