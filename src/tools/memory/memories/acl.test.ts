import { type AclRow, testAcl } from "../../../../test/support/memory-acl.ts";
import { memoriesTools } from "./index.ts";

const entry = { kind: "memory" } as const;

const rows: readonly AclRow[] = [
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
    asksAnyway: true,
  },
  {
    name: "memory_forget, looking for it",
    tool: "memory_forget",
    params: () => ({ query: "one" }),
    operation: "read",
    entry,
  },
  {
    name: "memory_recall",
    tool: "memory_recall",
    params: () => ({ query: "one" }),
    operation: "read",
    entry,
  },
];

testAcl((memory) => memoriesTools({ memory }), rows);
