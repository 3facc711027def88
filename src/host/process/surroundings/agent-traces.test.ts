import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { agentTraceIn } from "./agent-traces.ts";
import type { ProcessFacts } from "./ancestors.ts";

const shell: ProcessFacts = { pid: 7, args: ["-bash"], environment: {} };
const program = (...args: string[]): ProcessFacts => ({ pid: 9, args, environment: {} });

test.for([
  ["Claude Code", program("claude")],
  ["Claude Code by its package", program("node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js")],
  ["Codex", program("/usr/local/bin/codex", "exec", "--full-auto")],
  ["Codex, whose script an interpreter runs", program("/usr/bin/node", "--no-warnings", "/usr/bin/codex")],
  ["Gemini", program("node", "/home/ada/.npm/bin/gemini", "-p", "hello")],
  ["opencode", program("/home/ada/.opencode/bin/opencode")],
  ["Cursor's agent", program("/home/ada/.local/share/cursor-agent/versions/1/node", "index.js")],
  ["aider", program("python3", "-m", "aider")],
  ["a program of Windows", program("C:\\Users\\ada\\bin\\Claude.exe")],
] as const)("agentTraceIn() knows a process below %s", ([, agent]) => {
  expect(agentTraceIn({}, [shell, agent])).toMatch(/\(process 9\) started it$/);
});

test.for([
  { CLAUDECODE: "1" },
  { CODEX_SANDBOX: "seatbelt" },
  { GEMINI_CLI: "1" },
  { OPENCODE: "1" },
  { CURSOR_AGENT: "1" },
  { GOOSE_TERMINAL: "1" },
  { AI_AGENT: "some-agent" },
  { AGENT: "amp" },
  { CURSOR_EXTENSION_HOST_ROLE: "agent-exec" },
])(
  "agentTraceIn() knows a shell that an agent marked with %j, and what gave the mark up below it",
  (marks) => {
    const [name = ""] = Object.keys(marks);
    expect(agentTraceIn(marks, [shell])).toContain(`the variable ${name} marks its shell`);
    expect(agentTraceIn({}, [{ ...shell, environment: marks }])).toContain(
      `${name} marks the shell above it`,
    );
  },
);

test("agentTraceIn() knows what a server of haft started", () => {
  const at = "/usr/lib/node_modules/haft/bin/haft.js";
  expect(agentTraceIn({}, [shell, program("node", at, "--home", "/h", "mcp")], at)).toContain(
    "a server of haft",
  );
  expect(agentTraceIn({}, [program("haft", "serve")])).toContain("a server of haft");
  expect(agentTraceIn({}, [program("node", "/w/src/main.ts", "serve")], "/w/src/main.ts")).toContain("haft");
  expect(agentTraceIn({}, [program("haft", "mcp", "--agent", "add")])).toContain("a server of haft");
});

test.for(["mcp add files", "--home /h mcp review", "serve stop"])(
  "agentTraceIn() takes no haft for a server that a newer Node goes on for: haft %s",
  (words) => {
    const at = "/w/bin/haft.js";
    expect(agentTraceIn({}, [program("node", at, ...words.split(" ")), shell], at)).toBeUndefined();
  },
);

test.for([
  ["a terminal", [shell, program("tmux: server"), program("sshd: ada@pts/0")]],
  [
    "an editor's terminal",
    [shell, program("/usr/share/code/code", "--type=utility"), program("/opt/Cursor/cursor")],
  ],
  ["an argument of that name", [shell, program("vim", "claude.md"), program("node", "watch.js", "codex")]],
  ["npx", [program("npm exec haft approvals watch"), shell]],
] as const)("agentTraceIn() finds no agent in %s", ([, ancestors]) => {
  const environment = {
    TERM_PROGRAM: "vscode",
    CURSOR_TRACE_ID: "x",
    CLAUDE_CODE_SSE_PORT: "1",
    CLAUDE_CODE_USE_BEDROCK: "1",
    CODEX_HOME: "/h",
    GEMINI_CLI_IDE_SERVER_PORT: "1",
    OPENCODE_CONFIG: "/c",
    AGENT: "ssh",
    CLAUDECODE: "",
  };
  expect(agentTraceIn(environment, ancestors)).toBeUndefined();
});

test.runIf(process.platform !== "win32")(
  "listAncestors() begins with the process that started this one",
  async () => {
    const module = JSON.stringify(join(import.meta.dirname, "ancestors.ts"));
    const script = `import { listAncestors } from ${module}; console.log(JSON.stringify(listAncestors()[0]));`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--input-type=module-typescript",
      "-e",
      script,
    ]);
    const parent = JSON.parse(stdout) as ProcessFacts;
    expect(parent.pid).toBe(process.pid);
    expect(parent.args.length).toBeGreaterThan(0);
  },
);
