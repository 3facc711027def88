import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { Readable } from "node:stream";
import { listen } from "./listen.ts";

// The floor of a gateway: other ids on the way there, the former ones on the way back, and nothing else.
// node relay.ts stdio|http COMMAND ARGS…
interface Message {
  id?: number | string;
  readonly method?: string;
}

const [mode, command = "", ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map<number, { readonly id: number | string; readonly answer: (text: string) => void }>();
let count = 0;

function ask(message: Message, answer: (text: string) => void): void {
  if (message.id !== undefined) {
    waiting.set(++count, { id: message.id, answer });
    message.id = count;
  }
  server.stdin.write(`${JSON.stringify(message)}\n`);
}

function readLines(input: Readable, take: (message: Message) => void): void {
  let rest = "";
  input.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line) as Message);
  });
}

readLines(server.stdout, (message) => {
  const asked = waiting.get(message.id as number);
  if (asked === undefined || message.method !== undefined) return;
  waiting.delete(message.id as number);
  asked.answer(JSON.stringify({ ...message, id: asked.id }));
});

if (mode === "stdio")
  readLines(process.stdin, (message) => ask(message, (text) => process.stdout.write(`${text}\n`)));
else {
  listen(
    createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const message = JSON.parse(Buffer.concat(pieces).toString()) as Message;
        if (message.id === undefined) response.writeHead(202).end();
        ask(message, (text) => {
          const length = Buffer.byteLength(text);
          response.writeHead(200, { "content-type": "application/json", "content-length": length }).end(text);
        });
      });
    }),
  );
}
