import { onTestFinished } from "vitest";
import type { App, AppOptions } from "../../src/app/index.ts";
import { AgentQueries, Operator, type OperatorAnswer, type StreamLine } from "../../src/server/index.ts";
import { Installation } from "./installation.ts";
import { type ScriptedProvider, useScriptedProvider } from "./scripted-provider.ts";

type Script = Parameters<typeof useScriptedProvider>[1];

/** An operator before an installation whose model is scripted. */
export class OperatorWorld {
  readonly installation: Installation;
  readonly app: App;
  readonly provider: ScriptedProvider;
  readonly operator: Operator;

  private constructor(installation: Installation, app: App, provider: ScriptedProvider) {
    this.installation = installation;
    this.app = app;
    this.provider = provider;
    this.operator = this.another();
  }

  /** @param script The model's answers; undefined: no model is configured */
  static async open(
    script: Script | undefined,
    { settings = "", options = {}, files = {} }: WorldOptions = {},
  ): Promise<OperatorWorld> {
    const installation = new Installation();
    for (const [path, text] of Object.entries(files)) installation.write(path, text);
    const place = { home: installation.home.folder };
    const provider = script === undefined ? noProvider : await useScriptedProvider(place, script, settings);
    const { app } = await installation.open("", options);
    return new OperatorWorld(installation, app, provider);
  }

  /** An operator of a process that begins now, as `haft serve` makes one. */
  another(): Operator {
    const { app } = this;
    const found = {
      ready: () => app.sources.listed(),
      hasAgent: (id: string) => app.agents.has(id) || (id === "main" && app.context.agentId === undefined),
    };
    const operator = new Operator({ ...app, ...found, queries: new AgentQueries({ ...app, ...found }) });
    onTestFinished(() => operator.close());
    return operator;
  }
}

export interface WorldOptions {
  /** More of the owner's configuration. */
  readonly settings?: string;
  readonly options?: Partial<AppOptions>;
  readonly files?: Readonly<Record<string, string>>;
}

const noProvider: ScriptedProvider = { asked: [], lastMessages: () => [] };
const never = new AbortController().signal;

/** Sends one request, and collects the lines that come before its answer. */
export async function askOperator(
  operator: Operator,
  message: object,
  { signal = never, name, lines = [] }: AskOptions = {},
): Promise<OperatorAnswer & Record<string, unknown>> {
  const answer = await operator.answer(JSON.stringify(message), signal, {
    ...(name !== undefined && { name }),
    emit: (line) => lines.push(line),
  });
  return answer as OperatorAnswer & Record<string, unknown>;
}

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** @default "http" */
  readonly name?: string;
  readonly lines?: StreamLine[];
}
