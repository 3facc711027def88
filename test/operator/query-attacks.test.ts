import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openListener } from "../../src/host/index.ts";
import { serveOperator } from "../../src/server/index.ts";
import { createOperatorHandler } from "../../src/server/operator/operator-http.ts";
import { askOperator, OperatorWorld } from "../support/operator-world.ts";

/** Every call that a model could make to speak on the wire as an operator does. */
function listAttempts(home: string, port: number): readonly { name: string; input: object }[] {
  const token = join(home, "token");
  const socket = join(home, "operator.sock");
  const request = JSON.stringify({ type: "dispatch", agentID: "architect" });
  const knock = `require("node:net").connect(${JSON.stringify(socket)}).end(${JSON.stringify(`${request}\n`)})`;
  const ask = `fetch("http://127.0.0.1:${port}/v1/query",{method:"POST",headers:{"content-type":"application/json",authorization:"Bearer "+require("node:fs").readFileSync(${JSON.stringify(token)},"utf8").trim()},body:${JSON.stringify(request)}})`;
  return [
    { name: "read", input: { path: token } },
    { name: "read", input: { path: socket } },
    { name: "write", input: { path: socket, content: request } },
    { name: "bash", input: { command: `node -e '${knock}'` } },
    { name: "bash", input: { command: `node -e '${ask}'` } },
    { name: "bash", input: { command: `cat ${token}` } },
    { name: "fetch", input: { url: `http://127.0.0.1:${port}/v1/query` } },
    { name: "web_fetch", input: { url: `http://localhost:${port}/v1/query` } },
  ];
}

test("an agent that a query runs can't speak on the wire itself, nor read what that takes", async () => {
  const attempts: { name: string; input: object }[] = [];
  const world = await OperatorWorld.open(
    (_asked, before) => (before === 0 ? { calls: attempts } : { text: "I tried." }),
    {
      settings: "agents: { reader: { blockedTools: [memory_store] }, architect: {} }\n",
      options: { mode: "auto" },
    },
  );
  const heard: string[] = [];
  const { operator } = world;
  const listened = {
    connect: (...given: Parameters<typeof operator.connect>) => {
      const answer = operator.connect(...given);
      return (...said: Parameters<typeof answer>) => {
        heard.push(said[0]);
        return answer(...said);
      };
    },
    answer: (...said: Parameters<typeof operator.answer>) => {
      heard.push(said[0]);
      return operator.answer(...said);
    },
  };
  const home = world.installation.home.folder;
  const token = world.installation.home.token();
  const handler = createOperatorHandler({ operator: listened, token });
  const listener = await openListener({ port: 0, handler });
  onTestFinished(() => listener.close(0));
  const socket = await serveOperator(listened, join(home, "operator.sock"));
  onTestFinished(() => socket.close());
  attempts.push(...listAttempts(home, listener.port));
  const answer = await askOperator(operator, {
    type: "query",
    agentID: "reader",
    prompt: "Get yourself more rights",
  });
  const { sessions } = await world.app.store();
  const [session] = await sessions.list({ scope: "local", channel: "operator" });
  const results = (await sessions.entries("local", session?.id ?? "")).filter(
    ({ kind }) => kind === "result",
  );
  // A person is asked about what no rule refuses.
  expect(answer).toMatchObject({ agentID: "reader", stopReason: "approval" });
  expect(results.map((result) => "failed" in result && result.failed)).not.toContain(false);
  expect(heard).toEqual([]);
  expect(JSON.stringify([results, world.provider.asked])).not.toContain(token);
});
