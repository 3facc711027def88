import { type Command, Option } from "commander";
import type { McpServerType } from "../../../mcp/index.ts";
import { addExamples } from "../../examples.ts";
import type { SecretChoice } from "../../mcp/secrets.ts";
import type { Session } from "../../session.ts";
import type { AddOptions } from "./add.ts";
import type { ImportOptions } from "./import.ts";
import type { LoginOptions } from "./login.ts";
import type { ReviewOptions } from "./review.ts";

/** What `haft mcp` does with the servers whose tools it offers. Only the code of the one that was typed is loaded. */
export function addMcpCommands(command: Command, session: Session): void {
  defineAdd(command, session);
  defineRemove(command, session);
  define(command, "list", "the servers that are configured, and where; nothing is started").action(async () =>
    (await import("./list.ts")).listServers(session),
  );
  define(command, "status", "connect, and say how each server is; leaves with 1 if one is not well")
    .argument("[server...]", "by name (default: all)")
    .action(async (names: readonly string[]) => (await import("./status.ts")).showStatus(session, names));
  defineReview(command, session);
  defineImport(command, session);
  defineLogin(command, session);
}

function define(command: Command, name: string, summary: string): Command {
  const sub = command
    .command(name)
    .summary(summary)
    .description(`${capital(summary)}.`);
  return sub.addHelpText("after", "\n--json, --folder, --home and --verbose are options here, too.");
}

function defineAdd(command: Command, session: Session): void {
  const sub = define(command, "add", "let a server in: a program that haft starts, or an address")
    .usage("<name> [options] -- <command> [args...]\n       haft mcp add <name> <url> [options]")
    .argument("<name>", "how you call it: part of the names of its tools")
    .argument("[target...]", "an address; or, after --, a program and its arguments")
    .addOption(
      repeatable("--env <name=value>", "give it a variable; ${secret:NAME} stands for a stored secret"),
    )
    .addOption(repeatable("--header <name: value>", "send it a header with each request"))
    .addOption(repeatable("--host <host>", "let its process reach this host"))
    .addOption(repeatable("--read <path>", "let its process read files here, beside the project's"))
    .addOption(repeatable("--path <path>", "let its process change files here"))
    .addOption(repeatable("--allow <glob>", "offer only tools of these names"))
    .addOption(repeatable("--deny <glob>", "never offer tools of these names"))
    .addOption(new Option("--type <transport>", "how it speaks (default: tried out)").choices(transports))
    .option("--timeout <ms>", "how long one call may take", Number)
    .option("--cwd <folder>", "where its process starts (default: the project folder)")
    .option("--unconfined", "start its process outside the sandbox, with all your rights")
    .option("--suggested", "give it what servers of its kind are known to need (default: you are asked)")
    .option("--trust-read-only", "let tools that it calls read-only run unasked (default: you are asked)")
    .option("--project", "write it into the project's haft.config.yml, not into your own file")
    .option("--replace", "take the place of one of this name")
    .addOption(secretsOption())
    .option("--no-connect", "do not try it out now")
    .option("--yes", "do not ask");
  sub.action(async (name: string, target: readonly string[], options: AddOptions) =>
    (await import("./add.ts")).addServer(session, name, target, options),
  );
  addExamples(sub, [
    [
      "haft mcp add memory -- node_modules/.bin/mcp-server-memory",
      "a program that is installed in the project",
    ],
    [
      "haft mcp add files --suggested -- npx -y @modelcontextprotocol/server-filesystem .",
      "one that npx fetches: it may reach the registry, and change npm's folder and the one that it is for",
    ],
    [
      "haft mcp add docs https://example.com/mcp --header 'Authorization: Bearer ${secret:DOCS}'",
      "an address",
    ],
  ]);
}

function defineRemove(command: Command, session: Session): void {
  define(command, "remove", "take a server out of the configuration, and forget what it was let in with")
    .argument("<name>", "of the server")
    .option("--project", "the one in the project's haft.config.yml, where both files have one")
    .option("--yes", "do not ask")
    .action(async (name: string, options: { readonly project?: boolean; readonly yes?: boolean }) =>
      (await import("./remove.ts")).removeOne(session, name, options),
    );
}

function defineReview(command: Command, session: Session): void {
  const sub = define(command, "review", "look at what servers changed of their tools, and accept it or not")
    .argument("[server]", "by name (default: all)")
    .option("--accept <tool...>", "accept these, by the server's own names, without being asked")
    .option("--accept-all", "accept all that is shown, without being asked")
    .option(
      "--refuse <tool...>",
      "never offer these, whatever the server says of them: onto its list `deny`",
    );
  sub.action(async (name: string | undefined, options: ReviewOptions) =>
    (await import("./review.ts")).review(session, name, options),
  );
  addExamples(sub, [
    ["haft mcp review github", "see each difference, and say yes or no"],
    ["haft mcp review github --accept search_code", "accept one, as it is shown"],
    ["haft mcp review github --refuse delete_repo", "no agent gets this one, now or later"],
  ]);
}

function defineImport(command: Command, session: Session): void {
  const sub = define(command, "import", "take over servers that other clients on this machine have")
    .argument("[name...]", "of the servers (default: you are asked about each)")
    .option("--from <client>", "of this client alone")
    .option("--all", "all that your own files have; what a project's files have, by name only")
    .addOption(repeatable("--host <host>", "let their processes reach this host"))
    .addOption(repeatable("--path <path>", "let their processes change files here"))
    .option("--suggested", "give each what servers of its kind are known to need (default: you are asked)")
    .option("--trust-read-only", "let tools that they call read-only run unasked (default: you are asked)")
    .addOption(secretsOption())
    .option("--yes", "do not ask");
  sub.action(async (names: readonly string[], options: ImportOptions) =>
    (await import("./import.ts")).importServers(session, names, options),
  );
  addExamples(sub, [
    ["haft mcp import", "see what there is, and say yes or no to each"],
    ["haft mcp import github --from claude-code", "one of them"],
  ]);
}

function defineLogin(command: Command, session: Session): void {
  define(command, "login", "log in to a server that wants to know who you are")
    .argument("<name>", "of the server")
    .option("--no-browser", "print the address, and do not open it")
    .option("--device", "log in on another device, with a code")
    .option("--scope <scope>", "what to ask for (default: what the server says it needs)")
    .action(async (name: string, options: LoginOptions) =>
      (await import("./login.ts")).login(session, name, options),
    );
  define(command, "logout", "forget a login, here and where it is from")
    .argument("<name>", "of the server")
    .action(async (name: string) => (await import("./login.ts")).logout(session, name));
}

const transports: readonly McpServerType[] = ["stdio", "http", "streamable-http", "sse"];

function secretsOption(): Option {
  return new Option(
    "--secrets <how>",
    "what looks like a secret: move it into the secret store, or keep it in the file (default: you are asked; with --yes move)",
  ).choices(["move", "keep"] satisfies SecretChoice[]);
}

function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
