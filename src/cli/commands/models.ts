import { Argument, type Command } from "commander";
import type { App } from "../../app/index.ts";
import { nearestNames } from "../../base/index.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Session } from "../session.ts";

/** A model with a key, one of a server of one's own, and which of them agents work with. */
const exampleModels = `  models:
    main:
      provider: anthropic
      model: claude-sonnet-4-5
      apiKey: \${secret:ANTHROPIC}
    local:
      provider: openai-compatible
      url: http://127.0.0.1:11434/v1
      model: qwen3
  agent:
    model: main`;

const actions = ["list", "test"] as const;
type Action = (typeof actions)[number];

export function defineModels(command: Command, session: Session): void {
  command
    .addArgument(new Argument("[what]", "what to do").choices(actions).default("list"))
    .argument("[name]", "for test: a model of the configuration (default: that of agent.model)")
    .action(async (what: Action, name: string | undefined) => {
      if (what === "list" && name !== undefined)
        throw new CliError(
          "CLI_USAGE",
          `Cannot list "${name}" alone: \`haft models\` lists all, \`haft models test ${name}\` asks it`,
        );
      const app = await session.openApp();
      session.warn(app.loaded.warnings);
      if (what === "list") await list(session, app);
      else await test(session, app, findName(app, name));
    });
  addExamples(command, [
    ["haft models", "what is configured, and what each lacks; leaves with 1 where one lacks something"],
    ["haft models test main", "one short request: what it says, its tokens, its time, what it can"],
    ["haft secret set ANTHROPIC", 'stores the key that a model names as "${secret:ANTHROPIC}"'],
  ]);
  command.addHelpText(
    "after",
    `\nModels are written under \`models\` in your ~/.haft/config.yml; \`agent.model\` names the one that agents work with:\n\n${exampleModels}\n\nThe list reaches nobody. A test sends one request to that model alone, without retries and fallbacks.`,
  );
}

async function list(session: Session, app: App): Promise<void> {
  const models = await app.models.list();
  const { unknown } = app.models;
  if (unknown.length > 0 || models.some(({ missing }) => missing.length > 0))
    session.exitCode = exitCodes.failed;
  if (session.asJson) {
    session.terminal.json(models);
    session.warn(unknown);
  } else if (models.length === 0)
    session.terminal.err(
      `No models are configured: write one under \`models\` in ${app.home.config}, with its key as a secret, or the url of a server of your own:\n\n${exampleModels}\n`,
    );
  else {
    const { renderModelList } = await import("../text/models.ts");
    session.terminal.out(renderModelList(models, unknown, session.terminal));
  }
}

async function test(session: Session, app: App, name: string): Promise<void> {
  const { tryModel } = await import("../../app/index.ts");
  const trial = await tryModel(await app.models.openAlone(name), session.signal);
  if (session.asJson) session.terminal.json({ name, ...trial });
  else {
    const { renderTrial } = await import("../text/models.ts");
    session.terminal.out(renderTrial(name, trial, session.terminal));
  }
}

function findName({ models }: App, name: string | undefined = models.agentModel): string {
  const { names } = models;
  if (name !== undefined && names.includes(name)) return name;
  if (name === undefined)
    throw new CliError(
      "CLI_USAGE",
      "Cannot test a model: name one, as in `haft models test main`, or choose one as agent.model",
    );
  const [near] = nearestNames(name, names);
  const hint = near === undefined ? "`haft models` lists them" : `did you mean "${near}"`;
  throw new CliError("CLI_NOT_FOUND", `Cannot find a model "${name}" in the configuration; ${hint}`);
}
