import { join } from "node:path";
import { type ClientWorld, clientProgram } from "./world.ts";

/** A client that is a program: how it is told about the scripted model, and how it is asked once. */
export interface CommandClient {
  readonly id: string;
  /** `haft connect` sets it up; else its driver is given the command. */
  readonly connects: boolean;
  /** Its package, in test/clients/node_modules. */
  readonly installed: string;
  /** The name under which the model is offered a tool of haft's. */
  readonly toolName: (name: string) => string;
  /** Tools of its own that are left, and touch no file and start no program. */
  readonly harmless: readonly string[];
  /** It sends calls of loopback to a proxy too, so it is given none. */
  readonly proxiesAll?: true;
  readonly prepare: (world: ClientWorld, url: string) => void;
  readonly command: (url: string, haft: readonly string[]) => ClientCommand;
}

export interface ClientCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export const commandClients: readonly CommandClient[] = [
  {
    id: "claude-code",
    connects: true,
    installed: "@anthropic-ai/claude-code",
    toolName: (name) => `mcp__haft__${name}`,
    harmless: [
      "Agent",
      "CronCreate",
      "CronDelete",
      "CronList",
      "ExitWorktree",
      "ReportFindings",
      "ScheduleWakeup",
      "SendMessage",
      "Skill",
      "TaskCreate",
      "TaskGet",
      "TaskList",
      "TaskOutput",
      "TaskStop",
      "TaskUpdate",
      "WaitForMcpServers",
      "WebFetch",
      "WebSearch",
      "Workflow",
    ],
    prepare: () => {},
    command: (url) => ({
      program: clientProgram("claude"),
      args: ["-p", "go", "--model", "claude-sonnet-4-5"],
      environment: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
      },
    }),
  },
  {
    id: "codex",
    connects: true,
    installed: "@openai/codex",
    toolName: (name) => `mcp__haft\0${name}`,
    harmless: [
      "list_mcp_resources",
      "list_mcp_resource_templates",
      "read_mcp_resource",
      "request_user_input",
      "get_goal",
      "create_goal",
      "update_goal",
      "web_search",
      ...["close_agent", "resume_agent", "send_input", "spawn_agent", "wait_agent"].map(
        (name) => `multi_agent_v1\0${name}`,
      ),
    ],
    prepare: (world, url) =>
      world.put(
        ".codex/config.toml",
        `model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`,
      ),
    command: () => ({
      program: clientProgram("codex"),
      args: ["exec", "--skip-git-repo-check", "-c", "mcp_servers.haft.required=true", "go"],
      environment: { SCRIPTED_KEY: "none" },
    }),
  },
  {
    id: "gemini",
    connects: true,
    installed: "@google/gemini-cli",
    toolName: (name) => `mcp_haft_${name}`,
    harmless: ["update_topic", "google_web_search", "enter_plan_mode", "invoke_agent"],
    prepare: (world) =>
      world.put(".gemini/settings.json", {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    command: (url) => ({
      program: clientProgram("gemini"),
      args: ["-m", "gemini-2.5-flash", "-p", "go"],
      environment: {
        GEMINI_API_KEY: "none",
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
    }),
  },
  {
    id: "opencode",
    connects: true,
    proxiesAll: true,
    installed: "opencode-ai",
    toolName: (name) => `haft_${name}`,
    harmless: ["skill", "task", "todowrite", "webfetch"],
    prepare: (world, url) =>
      world.put(".config/opencode/opencode.json", {
        model: "scripted/m",
        small_model: "scripted/m",
        autoupdate: false,
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: "none" },
            models: { m: { name: "m", tool_call: true } },
          },
        },
      }),
    command: () => ({
      program: clientProgram("opencode"),
      args: ["run", "go"],
      environment: { OPENCODE_DISABLE_MODELS_FETCH: "1" },
    }),
  },
  {
    id: "qwen",
    connects: true,
    proxiesAll: true,
    installed: "@qwen-code/qwen-code",
    toolName: (name) => `mcp__haft__${name}`,
    harmless: ["tool_search", "agent", "task_stop", "send_message", "skill", "todo_write", "web_fetch"],
    prepare: (world) =>
      world.put(".qwen/settings.json", {
        security: { auth: { selectedType: "openai" } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    command: (url) => ({
      program: clientProgram("qwen"),
      args: ["-p", "go"],
      environment: { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "m" },
    }),
  },
  {
    id: "copilot",
    connects: true,
    installed: "@github/copilot",
    toolName: (name) => `haft-${name}`,
    harmless: ["skill", "sql"],
    prepare: () => {},
    command: (url) => ({
      program: clientProgram("copilot"),
      args: ["--agent", "haft", "--allow-tool", "haft", "-p", "go"],
      environment: {
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_TYPE: "openai",
        COPILOT_PROVIDER_API_KEY: "none",
        COPILOT_MODEL: "m",
        COPILOT_OFFLINE: "true",
      },
    }),
  },
  {
    id: "pi",
    connects: true,
    installed: join("@earendil-works", "pi-coding-agent"),
    toolName: (name) => name,
    harmless: [],
    prepare: (world, url) =>
      world.put(".pi/agent/models.json", {
        providers: {
          scripted: {
            baseUrl: `${url}/v1`,
            api: "openai-completions",
            apiKey: "none",
            models: [{ id: "m", name: "m" }],
          },
        },
      }),
    command: () => ({
      program: clientProgram("pi"),
      args: ["--provider", "scripted", "--model", "m", "-p", "go"],
      environment: { PI_OFFLINE: "1" },
    }),
  },
  library("ai-sdk", "@ai-sdk/mcp"),
  library("openai-agents", "@openai/agents"),
  library("langchain", "@langchain/mcp-adapters"),
  library("mastra", "@mastra/mcp", (name) => `haft_${name}`),
];

/** A library, in a program of a few lines: drivers/ID.mjs. */
function library(
  id: string,
  installed: string,
  toolName: CommandClient["toolName"] = (name) => name,
): CommandClient {
  return {
    id,
    connects: false,
    installed,
    toolName,
    harmless: [],
    prepare: () => {},
    command: (url, haft) => ({
      program: process.execPath,
      args: [join(import.meta.dirname, "drivers", `${id}.mjs`), url, ...haft],
    }),
  };
}
