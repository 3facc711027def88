/** One message of a `text/event-stream`. */
export interface StreamMessage {
  /** Empty if the message has none. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Length limit of a message. Longer ones are skipped. */
const longest = 4_000_000;

/** Parses a `text/event-stream` into messages as they arrive. */
export async function* readEventStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<StreamMessage> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
      rest = blocks.pop() ?? "";
      if (rest.length > longest) rest = "";
      for (const block of blocks) {
        const message = readMessage(block);
        if (message !== undefined) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function readMessage(block: string): StreamMessage | undefined {
  const fields = { id: "", event: "message", data: [] as string[] };
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === "id") fields.id = value;
    else if (name === "event") fields.event = value;
    else if (name === "data") fields.data.push(value);
  }
  if (fields.data.length === 0 && fields.id === "" && fields.event === "message") return undefined;
  return { id: fields.id, event: fields.event, data: fields.data.join("\n") };
}
