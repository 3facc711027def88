import type { App, ClientView } from "../../app/index.ts";
import type { McpServerOptions } from "./core.ts";
import type { McpServer } from "./mcp-server.ts";
import { createMcpServer } from "./server.ts";

/** What the server says of itself, and whom it serves. */
export interface AppServerOptions extends Pick<McpServerOptions, "version" | "onError" | "chooseServer"> {
  /** Why the tools have no project folder to work in: a sentence that the model reads. */
  readonly noProject?: string | undefined;
}

/**
 * Makes an MCP server of an installation, as one client sees it. Serve it with {@link serveStdio} or {@link
 * createHttpHandler}.
 *
 * @example
 * ```ts
 * import { PassThrough } from "node:stream";
 * await using app = await createApp({ folder: process.cwd(), home: new Home(`${process.cwd()}/home`) });
 * const view = await app.viewForGoal(undefined);
 * const [input, output] = [new PassThrough(), new PassThrough()];
 * const { closed } = serveStdio(createAppServer(app, view, { version: "1.0.0" }), {
 *   streams: { input, output },
 * });
 * input.end('{ "jsonrpc": "2.0", "id": 1, "method": "ping" }\n');
 * await closed;
 * JSON.parse(String(output.read())).id; // → 1
 * ```
 */
export function createAppServer(
  app: App,
  view: ClientView,
  { noProject, ...options }: AppServerOptions,
): McpServer {
  return createMcpServer({
    registry: app.registry,
    executor: app.executor,
    name: "haft",
    title: "haft",
    instructions: writeInstructions(app, noProject),
    context: () => view.bounds,
    interaction: (_client, opening) => view.open(opening),
    arriving: () => app.sources.listed(),
    approvals: {
      get: async (id) => (await app.store()).approvals.get(id),
      answer: async (id, answer) => (await app.store()).approvals.answer(id, answer),
    },
    stateKey: app.home.stateKey(),
    ...options,
  });
}

/** The tools of each vocabulary to look with, and to keep with. */
const memoryTools = [
  ["memory_recall", "memory_store"],
  ["memory_list", "memory_append"],
  ["search", "block"],
  ["memory_search", "write_note"],
] as const;

function writeInstructions({ folder, registry }: App, noProject: string | undefined): string {
  const [look, keep] = memoryTools.find((pair) => pair.every((name) => registry.has(name))) ?? [];
  return [
    noProject ?? `These tools work in ${folder}: relative paths start there.`,
    `What lies outside ${noProject === undefined ? "it" : "a project"}, commands and other hosts may need the user's yes; a refusal says how to get it. Long output is cut, and the rest is read with artifact_read.`,
    ...(look === undefined
      ? []
      : [
          `You have a memory that lasts: look with ${look} before you answer about the user or earlier work, and keep what should last with ${keep}.`,
        ]),
  ].join(" ");
}
