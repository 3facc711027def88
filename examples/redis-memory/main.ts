// An agent's memory in Redis: what it keeps is there after Redis was killed and started again.
import assert from "node:assert/strict";
import { ToolRegistry } from "haft";
import { ToolExecutor } from "haft/kernel";
import { findMemoryScope, Memory } from "haft/modules/memory";
import { blockTools } from "haft/modules/memory/tools";
import { RedisMemory } from "./redis-memory.ts";
import { RedisServer, whyNoRedis } from "./redis-server.ts";

const agent = { agentId: "writer" };

/** The tools `block`, `recall`, `search` and `semantic_search` over this memory, behind the one gate. */
function createExecutor(memory: RedisMemory): ToolExecutor {
  const registry = new ToolRegistry();
  for (const tool of blockTools({ memory })) registry.register(tool);
  return new ToolExecutor(registry);
}

async function run(server: RedisServer): Promise<void> {
  await server.start();
  {
    await using memory = await RedisMemory.open({ url: server.url });
    const owner = new Memory(memory, {
      scope: findMemoryScope(agent),
      author: { by: "owner:ada" },
      owner: true,
    });
    await owner.createBlock({ kind: "block", label: "human", tier: "core", text: "Her name is Ada." });
    const appending = { operation: "append", label: "human", content: "She prefers mornings." };
    const appended = await createExecutor(memory).run("block", appending, agent);
    assert.ok(appended.success, appended.text);
  }
  await server.kill();
  await server.start();
  await using memory = await RedisMemory.open({ url: server.url });
  const executor = createExecutor(memory);
  const read = await executor.run("recall", { operation: "read", label: "human" }, agent);
  assert.match(read.text, /Her name is Ada\.\\nShe prefers mornings\./);
  const found = await executor.run("search", { domain: "all", query: "When in the morning?" }, agent);
  assert.match(found.text, /prefers mornings/);
  const others = await executor.run("search", { domain: "all", query: "mornings" }, { agentId: "reader" });
  assert.doesNotMatch(others.text, /prefers/);
  console.log(read.text);
}

const cannot = whyNoRedis();
if (cannot === undefined) {
  await using server = new RedisServer();
  await run(server);
} else console.log(`Skipped: ${cannot}`);
