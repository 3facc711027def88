import { createServer } from "node:http";
import { listen } from "./listen.ts";

// The same work with nothing but Node: JSON in, JSON out.
interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly name: string; readonly arguments: Record<string, string | number> };
}

function answer({ id, method, params }: Message): string | undefined {
  if (id === undefined) return undefined;
  if (method !== "tools/call") return JSON.stringify({ jsonrpc: "2.0", id, result: {} });
  const { path, limit, recursive, bytes } = params.arguments;
  const text = params.name === "big" ? "x".repeat(bytes as number) : `${path}:${limit}:${recursive}`;
  return JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
}

if (process.argv[2] === "http") {
  listen(
    createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const text = answer(JSON.parse(Buffer.concat(pieces).toString()) as Message) ?? "";
        response.writeHead(200, {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(text),
        });
        response.end(text);
      });
    }),
  );
} else {
  let pieces: Buffer[] = [];
  process.stdin.on("data", (chunk: Buffer) => {
    let start = 0;
    let out = "";
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      pieces.push(chunk.subarray(start, end));
      const text = answer(JSON.parse(Buffer.concat(pieces).toString()) as Message);
      if (text !== undefined) out += `${text}\n`;
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
    if (out !== "") process.stdout.write(out);
  });
}
