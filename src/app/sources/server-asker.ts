import { type Asker, McpError, type ServerAnswer, type ServerQuestion } from "../../mcp/index.ts";
import { type FormSchema, type McpPeer, mcpPeer } from "../../server/mcp/index.ts";

const declined: ServerAnswer = { action: "decline" };

/**
 * Puts what a server asks to whoever made the call: the MCP client where it came from one, else whoever is at hand.
 *
 * @param other of callers that are no MCP clients; absent: they are not asked
 */
export function serverAsker(other: Asker | undefined): Asker {
  return {
    async ask(question, context, signal) {
      // The call waits for its person already, in what asks this: a second wait would be one too many.
      const { origin } = context;
      const peer = mcpPeer({ origin, signal, awaitPerson: async (ask) => ask(signal) });
      if (peer === undefined) return other === undefined ? declined : other.ask(question, context, signal);
      try {
        return await askClient(peer, question, signal);
      } catch (error) {
        // A client that can't ask its user anything is a no, as the protocol has it.
        if (error instanceof McpError && error.code === "MCP_CAPABILITY") return declined;
        throw error;
      }
    },
  };
}

async function askClient(
  peer: McpPeer,
  question: ServerQuestion,
  signal: AbortSignal,
): Promise<ServerAnswer> {
  const message = `The MCP server "${question.server}" asks: ${question.message}`;
  if (question.mode === "url") {
    const { action } = await peer.elicitUrl({ message, url: question.url }, { signal });
    return { action };
  }
  return peer.elicit({ message, schema: question.schema as unknown as FormSchema }, { signal });
}
