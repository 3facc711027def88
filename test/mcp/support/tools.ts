import { defineTool, type Tool, type ToolContext } from "../../../src/kernel/index.ts";
import { type McpPeer, mcpPeer } from "../../../src/server/mcp/index.ts";

export const harmless = { annotations: { readOnly: true, openWorld: false } } as const;

export const echoTool: Tool = defineTool({
  name: "echo",
  description: "Say it again.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  ...harmless,
  execute: ({ text }) => text,
});

/** Asks before it may do anything. */
export const removeTool: Tool = defineTool({
  name: "remove",
  description: "Remove a file, or say that it would.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  effects: ({ path }) => [{ kind: "delete", target: path, within: true }],
  execute: ({ path }) => `removed ${path}`,
});

/** A tool that talks with its client. */
export function talkingTool(
  talk: (peer: McpPeer, context: ToolContext, args: { readonly text?: string }) => Promise<string>,
): Tool {
  return defineTool({
    name: "talk",
    description: "Talk with the client.",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    ...harmless,
    execute(args, context) {
      const peer = mcpPeer(context);
      if (peer === undefined) throw new Error("Cannot talk: there is no peer");
      return talk(peer, context, args);
    },
  });
}

export interface HeldTool {
  readonly tool: Tool;
  /** Resolves when the tool has begun. */
  readonly begun: Promise<void>;
  /** Lets the tool end. */
  readonly finish: (text: string) => void;
  /** Resolves with the reason when the tool is told to stop. */
  readonly stopped: Promise<unknown>;
}

/** A tool that runs until it is let go. */
export function createHeldTool(): HeldTool {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<string>();
  const stopped = Promise.withResolvers<unknown>();
  const tool = defineTool({
    name: "hold",
    description: "Run until it is let go.",
    parameters: { type: "object" },
    ...harmless,
    execute(_args, { signal, progress }) {
      signal.addEventListener("abort", () => {
        stopped.resolve(signal.reason);
        end.reject(signal.reason);
      });
      progress(1);
      begun.resolve();
      return end.promise;
    },
  });
  return { tool, begun: begun.promise, finish: end.resolve, stopped: stopped.promise };
}
