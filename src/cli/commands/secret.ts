import { Argument, type Command } from "commander";
import type { App } from "../../app/index.ts";
import { promptStreams } from "../asking/ask-yes.ts";
import { confirm } from "../asking/confirm.ts";
import { requireOwner } from "../asking/owner-only.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import type { Session } from "../session.ts";

const actions = ["set", "list", "delete", "rotate"] as const;
type Action = (typeof actions)[number];

interface SecretOptions {
  readonly yes?: boolean;
}

export function defineSecret(command: Command, session: Session): void {
  command
    .addArgument(new Argument("<action>", "what to do").choices(actions))
    .argument("[name]", "of the secret, for set and delete")
    .option("-y, --yes", "delete without being asked")
    .action(async (action: Action, name: string | undefined, options: SecretOptions) => {
      if (action !== "list") await requireOwner(session, `${action} secrets`);
      const app = await session.openApp();
      session.warn(app.loaded.warnings);
      await run(session, app, action, name, options);
    });
  addExamples(command, [
    ["haft secret set TAVILY_API_KEY", "asks for the value, and does not show what is typed"],
    ["haft secret set TAVILY_API_KEY < key.txt", "reads it from standard input; one line end is left out"],
    ["haft secret list", "names, and when each was last changed"],
    ["haft secret delete TAVILY_API_KEY", "deletes it for good"],
    ["haft secret rotate", "encrypts all of them anew with a new key"],
  ]);
  command.addHelpText(
    "after",
    "\nA value is never an argument: other users of the machine can see those.\nOnly a tool that declares a secret's name is given its value.",
  );
}

function run(
  session: Session,
  app: App,
  action: Action,
  name: string | undefined,
  options: SecretOptions,
): Promise<void> {
  switch (action) {
    case "set":
      return set(session, app, nameFor(action, name));
    case "list":
      return list(session, app);
    case "delete":
      return remove(session, app, nameFor(action, name), options);
    case "rotate":
      return rotate(session, app);
    default:
      return action satisfies never;
  }
}

async function set(session: Session, app: App, name: string): Promise<void> {
  const value = await readValue(session, name);
  const { createdAt, changedAt } = await app.secrets.set(findScope(app), name, value);
  const replaced = createdAt !== changedAt;
  if (session.asJson) session.terminal.json({ name, stored: true, replaced });
  else session.terminal.out(`${name} is ${replaced ? "replaced" : "stored"}\n`);
}

async function list(session: Session, app: App): Promise<void> {
  const { terminal } = session;
  const secrets = await app.secrets.list(findScope(app));
  const dated = secrets.map(({ name, createdAt, changedAt }) => ({
    name,
    createdAt: new Date(createdAt).toISOString(),
    changedAt: new Date(changedAt).toISOString(),
  }));
  if (session.asJson) terminal.json(dated);
  else if (dated.length === 0) terminal.err("No secrets are stored; `haft secret set NAME` stores one\n");
  else
    terminal.out(
      `${dated.map(({ name, changedAt }) => `${name}  changed ${changedAt.slice(0, 16).replace("T", " ")}`).join("\n")}\n`,
    );
}

async function remove(session: Session, app: App, name: string, { yes }: SecretOptions): Promise<void> {
  const known = (await app.secrets.list(findScope(app))).map((secret) => secret.name);
  if (!known.includes(name)) {
    const names = known.length === 0 ? "none is stored" : `those stored are ${known.join(", ")}`;
    throw new CliError("CLI_NOT_FOUND", `Cannot delete the secret "${name}": there is none; ${names}`);
  }
  await confirm(session, {
    message: `Delete the secret ${name} for good?`,
    action: `delete the secret "${name}"`,
    yes: yes === true,
  });
  const deleted = await app.secrets.delete(findScope(app), name);
  if (session.asJson) session.terminal.json({ name, deleted });
  else session.terminal.out(`${name} is deleted\n`);
}

async function rotate(session: Session, app: App): Promise<void> {
  const { version, kind } = await app.secrets.rotate();
  if (session.asJson) session.terminal.json({ version, kind });
  else session.terminal.out(`All secrets are encrypted with key ${version} now, by ${kind}\n`);
}

/** Reads a value from standard input, or as it is typed unseen at a terminal. */
async function readValue(session: Session, name: string): Promise<string> {
  const { stdin } = session.terminal.streams;
  if (stdin.isTTY !== true) {
    const { readAll } = await import("../calls/stdin-text.ts");
    return (await readAll(stdin, session.signal)).replace(/\r?\n$/, "");
  }
  const { isCancel, password } = await import("@clack/prompts");
  const typed = await password({
    ...promptStreams(session.terminal),
    message: `Value of ${name}`,
    mask: "",
    signal: session.signal,
  });
  if (isCancel(typed)) throw new CliError("CLI_CANCELLED", "Stopped by Ctrl-C; nothing was stored");
  return typed ?? "";
}

function nameFor(action: Action, name: string | undefined): string {
  if (name !== undefined) return name;
  throw new CliError(
    "CLI_USAGE",
    `Cannot ${action} a secret: name one, as in \`haft secret ${action} NAME\``,
  );
}

function findScope(app: App): string {
  return app.context.scope ?? "local";
}
