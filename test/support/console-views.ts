import { type App, type AppOptions, JsonBytes } from "../../src/app/index.ts";
import type { ViewsApi } from "../../src/server/console/api/index.ts";
import { viewHandlers } from "../../src/server/console/pages/view-handlers.ts";
import type { Handler } from "../../src/server/console/route.ts";
import { Installation } from "./installation.ts";

/** What a request brings beside its endpoint. */
export interface ViewRequest {
  readonly segments?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** An installation whose pages can be asked for, as the console's router asks. */
export class ConsoleViews {
  readonly installation: Installation;
  readonly app: App;

  constructor(installation: Installation, app: App) {
    this.installation = installation;
    this.app = app;
  }

  static async open(
    config = "",
    options: Partial<AppOptions> = {},
    installation: Installation = new Installation(),
  ): Promise<ConsoleViews> {
    const { app } = await installation.open(config, options);
    return new ConsoleViews(installation, app);
  }

  /** Answers a request; rejects as its handler does. */
  async ask<Key extends keyof ViewsApi>(
    key: Key,
    request: ViewRequest = {},
  ): Promise<ViewsApi[Key]["answer"]> {
    const { segments = {}, query = {}, body, signal = new AbortController().signal } = request;
    const handler = viewHandlers[key] as Handler<{ readonly answer: ViewsApi[Key]["answer"] }>;
    const records = await this.app.records();
    const answer = await handler(
      { app: this.app, records, json: records.json, by: "person:console", version: "0.0.0" },
      { segments: new Map(Object.entries(segments)), query: new Map(Object.entries(query)), body, signal },
    );
    return answer instanceof JsonBytes ? JSON.parse(new TextDecoder().decode(answer.bytes)) : answer;
  }
}
