/** pi has no MCP client of its own: this extension is one, and makes haft's tools the only active ones. */
export function renderPiExtension(command: readonly string[]): string {
  return template.replace("COMMAND", () => JSON.stringify(command));
}

const template = `// haft's tools in pi, and none of pi's own. Written by \`haft connect pi\`; \`haft connect pi --undo\` removes it.
const { spawn } = process.getBuiltinModule("node:child_process");
const { createInterface } = process.getBuiltinModule("node:readline");

const [program, ...args] = COMMAND;

export default async function haft(pi) {
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let asked = 0;
  const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  const ask = (method, params, signal) =>
    new Promise((resolve, reject) => {
      const id = ++asked;
      waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        send({ method: "notifications/cancelled", params: { requestId: id } });
        reject(new Error("cancelled"));
      });
      send({ id, method, params });
    });
  createInterface({ input: server.stdout }).on("line", (line) => {
    const { id, method, result, error } = JSON.parse(line);
    if (method !== undefined) return id !== undefined && send({ id, error: { code: -32601, message: "not here" } });
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error.message));
    waiting.delete(id);
  });
  server.on("exit", () => waiting.forEach(({ reject }) => reject(new Error("haft has ended"))));
  const clientInfo = { name: "pi", version: "1" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  const { tools } = await ask("tools/list", {});
  for (const { name, description = "", inputSchema } of tools) {
    const execute = async (_id, params, signal) => {
      const { content, isError } = await ask("tools/call", { name, arguments: params }, signal);
      const texts = content.map((part) => (part.type === "image" ? part : { type: "text", text: part.text ?? JSON.stringify(part) }));
      if (isError) throw new Error(texts.map(({ text }) => text).join("\\n"));
      return { content: texts, details: {} };
    };
    pi.registerTool({ name, label: name, description, parameters: inputSchema, execute });
  }
  pi.on("session_start", () => pi.setActiveTools(tools.map(({ name }) => name)));
  pi.on("session_shutdown", () => server.stdin.end());
}
`;
