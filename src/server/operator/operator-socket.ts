import { type LocalSocket, openLocalSocket } from "../../host/index.ts";
import type { Operator } from "./operator.ts";
import type { StreamLine } from "./operator-messages.ts";

const maxLineBytes = 1_048_576;

/**
 * Serves an operator over a socket of this machine: one JSON object a line, each answered by one, in the order in
 * which calls end; a streamed query has lines before its answer. A connection is a session; its calls are cancelled when it goes. A dispatch that failed ends it,
 * once what came before is answered.
 *
 * @throws {HostError} LISTEN_BUSY, LISTEN_FAILED
 */
export function serveOperator(operator: Pick<Operator, "connect">, path: string): Promise<LocalSocket> {
  return openLocalSocket({
    path,
    maxLineBytes,
    onConnection(peer) {
      let running = 0;
      let isOver = false;
      const answer = operator.connect(() => void (isOver = true));
      const gone = new AbortController();
      return {
        async onLine(line) {
          running++;
          const emit = (one: StreamLine) => peer.send(JSON.stringify(one));
          peer.send(JSON.stringify(await answer(line, gone.signal, { emit })));
          running--;
          if (isOver && running === 0) peer.close();
        },
        onTooLong() {
          const error = `Cannot take the request: it is longer than ${maxLineBytes} bytes; send less`;
          peer.send(JSON.stringify({ type: "error", error, code: "CONTEXT_TOO_LARGE" }));
        },
        onClose: () => gone.abort(new Error("the operator went away")),
      };
    },
  });
}
