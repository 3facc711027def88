import type { CallOutput, CallsApi } from "../../src/server/console/api/index.ts";
import { hostile } from "./fixture-data.ts";

type Acts = "POST /calls/:id/replay" | "GET /calls/:id/output" | "GET /calls/:id/output/file";

interface Request {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** A long output, of which a part is shown at a time. */
export const longOutput: string = `${hostile}\n${"a line of the output\n".repeat(2500)}the end\n`;
const partChars = 20_000;

/** What can be done with a call beside undoing it. */
export function createCallActs(now: number): {
  readonly [Key in Acts]: (request: Request) => CallsApi[Key]["answer"];
} {
  return {
    "POST /calls/:id/replay": ({ segments: [callId = ""] }) => ({
      replayed: {
        callId,
        toolName: "read",
        outcome: "different",
        what: "result",
        why: "its result is another, from character 7 on",
        recorded: `total 3 ${hostile}`,
        now: "total 4",
        at: 6,
      },
      taskId: `replay:${callId}`,
      command: `haft replay ${callId}`,
    }),
    "GET /calls/:id/output": ({ query }): CallOutput => {
      const offset = Number(query.get("offset") ?? 0);
      const text = longOutput.slice(offset, offset + partChars);
      const next = offset + text.length;
      return {
        id: "a_0123456789abcdefghij",
        bytes: longOutput.length,
        createdAt: now - 60_000,
        trust: "untrusted",
        text,
        offset,
        totalChars: longOutput.length,
        ...(offset > 0 && { before: Math.max(0, offset - partChars) }),
        ...(next < longOutput.length && { after: next }),
        command: "haft call artifact_read -a id=a_0123456789abcdefghij",
      };
    },
    "GET /calls/:id/output/file": () => ({
      name: "a_0123456789abcdefghij.txt",
      bytes: Buffer.from(longOutput),
    }),
  };
}
