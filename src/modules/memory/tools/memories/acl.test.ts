import { type AclRow, testAcl } from "../../../../../test/support/memory-acl.ts";
import { openMemoryWorld } from "../../../../../test/support/memory-world.ts";
import { memoriesTools } from "./index.ts";

const entry = { kind: "memory" } as const;

const rows: readonly AclRow[] = [
  {
    name: "memory_store, beside it",
    tool: "memory_store",
    params: () => ({ content: "two" }),
    operation: "read",
    looks: false,
    entry,
  },
  {
    name: "memory_store, correcting it",
    tool: "memory_store",
    params: ({ id }) => ({ content: "two", supersedes: id }),
    operation: "overwrite",
    entry,
  },
  {
    name: "memory_forget",
    tool: "memory_forget",
    params: ({ id }) => ({ id }),
    operation: "delete",
    entry,
  },
  {
    name: "memory_forget, looking for it",
    tool: "memory_forget",
    params: () => ({ query: "one" }),
    operation: "read",
    entry,
  },
  {
    name: "memory_forget, bringing it back",
    tool: "memory_forget",
    params: ({ id }) => ({ id, restore: true }),
    operation: "overwrite",
    entry,
    before: ({ memory }, { id, scope }, { agentId }) =>
      memory.edit(scope, [{ do: "delete_block", id }], { by: `agent:${agentId}` }),
  },
  ...["search", "explore", "connect"].map((action): AclRow => {
    const target = action === "connect" ? { target: "Ada" } : {};
    const params = () => ({ action, query: "it", ...target });
    return { name: `memory_graph ${action}`, tool: "memory_graph", params, operation: "read", entry };
  }),
  {
    name: "memory_recall",
    tool: "memory_recall",
    params: () => ({ query: "one" }),
    operation: "read",
    entry,
  },
];

testAcl("memories", () => openMemoryWorld((memory, { graph }) => memoriesTools({ memory, graph })), rows);
