import { z } from "zod";
import { defaultAgent, defineTool, type Tool, ToolContent } from "../../../kernel/index.ts";
import type { Sessions } from "../store/sessions.ts";
import { SessionToolError } from "./errors.ts";
import { showEntry } from "./show-entry.ts";

/** What the tools of sessions work with. */
export interface SessionServices {
  readonly sessions: Pick<Sessions, "get" | "entries">;
}

const parameters = z.strictObject({
  file: z
    .string()
    .regex(/^[^/\s]+\/\d{1,6}$/)
    .describe("SESSION/EPOCH, as a summary names it"),
  offset: z.int().min(0).default(0).describe("Entries to pass over"),
  limit: z.int().min(1).max(1000).default(100).describe("Entries at most"),
});

export function sessionArchiveReadTool({ sessions }: SessionServices): Tool {
  return defineTool({
    name: "session_archive_read",
    title: "Read an earlier part of a conversation",
    description:
      "Read what was said in a part of a conversation that was summed up since: its messages in order, and each call as one line.",
    category: "data",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    mayRepeat: true,
    async execute({ file, offset, limit }, { scope, agentId }) {
      const [id = "", number = ""] = file.split("/");
      const epoch = Number(number);
      const session = await sessions.get(scope, id);
      const isOwn = session?.agentId === (agentId ?? defaultAgent);
      if (!isOwn || epoch < 1 || epoch > session.epoch)
        throw new SessionToolError(
          "ARCHIVE_NOT_FOUND",
          `Cannot read "${file}": this agent has no such archive; a summary names those that there are`,
        );
      if (epoch === session.epoch)
        throw new SessionToolError(
          "ARCHIVE_LIVE",
          `Cannot read "${file}": that part of the conversation is not archived; it is the one under way`,
        );
      const entries = await sessions.entries(scope, id, { epoch });
      const page = entries.slice(offset, offset + limit);
      const next = offset + page.length;
      const end = next < entries.length ? `[Continue with offset ${next}.]` : "[This is the end.]";
      const lines = page.flatMap((entry) => showEntry(entry).map(({ from, text }) => `${from}: ${text}`));
      return new ToolContent(
        [{ type: "text", text: [...lines, end].join("\n") }],
        { file, entries: entries.length, ...(next < entries.length && { next_offset: next }) },
        // What the agent said may repeat what it has read on another page.
        session.trust === "untrusted" ? "untrusted" : undefined,
        { textIsWhole: true },
      );
    },
  });
}
