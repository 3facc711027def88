import { listAncestors, type ProcessFacts } from "./ancestors.ts";

/** Names of agent programs or their scripts. Editors are left out, since people work in their terminals. */
const agentPrograms: ReadonlySet<string> = new Set(
  [
    "aider amp antigravity auggie claude cline codex copilot crush cursor-agent droid gemini goose goosed",
    "kilocode kiro-cli kiro-cli-chat openhands opencode pi q-chat qchat qwen qwen-code",
  ].flatMap((line) => line.split(" ")),
);

/** Package folders of agents whose program has a common name. */
const agentPackages =
  /[/\\](?:@anthropic-ai[/\\]claude-code|@openai[/\\]codex|@google[/\\]gemini-cli|opencode-ai|@qwen-code|@sourcegraph[/\\]amp|@github[/\\]copilot|@augmentcode[/\\]auggie|@charmland[/\\]crush|@kilocode|pi-coding-agent|cursor-agent)[/\\]/i;

/**
 * Variables that agents set in the shells of their tools. Variables that people set themselves, and those that an
 * editor sets in every terminal (`TERM_PROGRAM`, `CURSOR_TRACE_ID`, `CLAUDE_CODE_SSE_PORT`), are left out.
 */
const agentVariables: readonly string[] = [
  "AGENT_SESSION_ID AI_AGENT AMP_CURRENT_THREAD_ID ANTIGRAVITY_AGENT AUGMENT_AGENT",
  "CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_IS_COWORK CLAUDE_CODE_SESSION_ID",
  "CLINE_ACTIVE CODEX_CI CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED CODEX_THREAD_ID",
  "COPILOT_AGENT COPILOT_AGENT_SESSION_ID COPILOT_CLI CRUSH CURSOR_AGENT GEMINI_CLI GOOSE_TERMINAL",
  "OPENCODE OPENCODE_CLIENT PI_CODING_AGENT QWEN_CODE ROO_ACTIVE TRAE_AI_SHELL_ID VSCODE_AGENT WINDSURF_CASCADE_TERMINAL",
].flatMap((line) => line.split(" "));

/** Variables that point to an agent only with these values. */
const agentValues: Readonly<Record<string, RegExp>> = {
  AGENT: /^(?:1|true|amp|claude|codex|crush|cursor|gemini|goose|opencode|pi|qwen)$/i,
  CURSOR_EXTENSION_HOST_ROLE: /^agent-exec$/,
};

const interpreters = /^(?:node|nodejs|bun|deno|tsx|python[\d.]*|uv|ruby)$/;

/**
 * Finds evidence that an agent, or a server of haft, started this process; undefined if there is none. An agent that
 * hides both its variables and its parent processes is not detected.
 */
export function findAgentTrace(): string | undefined {
  return agentTraceIn(process.env, listAncestors(), process.argv[1]);
}

/**
 * Does the work of {@link findAgentTrace} on given facts.
 *
 * @param haft path of haft's own script
 */
export function agentTraceIn(
  environment: ProcessFacts["environment"],
  ancestors: readonly ProcessFacts[],
  haft?: string,
): string | undefined {
  const own = markIn(environment);
  if (own !== undefined) return `the variable ${own} marks its shell as an agent's`;
  for (const { pid, args, environment: its } of ancestors) {
    const program = agentProgram(args);
    if (program !== undefined) return `${program} (process ${pid}) started it`;
    if (isHaftServer(args, haft)) return `a server of haft (process ${pid}) started it`;
    const mark = markIn(its);
    if (mark !== undefined)
      return `the variable ${mark} marks the shell above it (process ${pid}) as an agent's`;
  }
  return undefined;
}

function markIn(environment: ProcessFacts["environment"]): string | undefined {
  const isSet = (name: string) => !["", "0", "false", undefined].includes(environment[name]?.toLowerCase());
  return (
    agentVariables.find(isSet) ??
    Object.keys(agentValues).find((name) => agentValues[name]?.test(environment[name] ?? "") === true)
  );
}

function agentProgram(args: readonly string[]): string | undefined {
  const named = programFiles(args);
  return (
    named.map(baseName).find((name) => agentPrograms.has(name)) ??
    agentPackages.exec(named.join("\n"))?.[0].slice(1, -1)
  );
}

/** Returns the program and, for an interpreter, its script. */
function programFiles(args: readonly string[]): readonly string[] {
  const [program, ...rest] = args;
  if (program === undefined) return [];
  if (!interpreters.test(baseName(program))) return [program];
  const script = rest.find((arg) => !arg.startsWith("-"));
  return script === undefined ? [program] : [program, script];
}

const servers: ReadonlySet<string> = new Set(["mcp", "serve"]);

/** Whether the word behind `mcp` or `serve` makes it a command that manages servers: a person's, which an older Node starts a newer one for. */
function isManaged(word: string | undefined): boolean {
  return word !== undefined && /^[a-z]+$/.test(word);
}

function isHaftServer(args: readonly string[], haft: string | undefined): boolean {
  const isHaft = programFiles(args).some((file) => baseName(file) === "haft" || file === haft);
  return isHaft && args.some((arg, at) => servers.has(arg) && !isManaged(args[at + 1]));
}

function baseName(file: string): string {
  const name = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
  return name.replace(/\.(?:exe|cmd|[cm]?[jt]s|py)$/i, "").toLowerCase();
}
