import { type AclRow, testAcl } from "../../../../../test/support/memory-acl.ts";
import { openMemoryWorld } from "../../../../../test/support/memory-world.ts";
import { agentScope } from "../../store/memory-caller.ts";
import { blockTools } from "./index.ts";

const inSight = { tier: "core" } as const;
const spare = { label: "spare", permission: "admin" } as const;
const spareInSight = { ...spare, tier: "working" } as const;

const rows: readonly AclRow[] = [
  {
    name: "block append",
    tool: "block",
    params: () => ({ operation: "append", label: "it", content: "two" }),
    operation: "append",
    entry: inSight,
  },
  {
    name: "block replace",
    tool: "block",
    params: () => ({ operation: "replace", label: "it", old_content: "one", new_content: "1" }),
    operation: "overwrite",
    entry: inSight,
  },
  {
    name: "block archive",
    tool: "block",
    params: () => ({ operation: "archive", label: "it" }),
    operation: "delete",
    entry: inSight,
  },
  {
    name: "block archive over it",
    tool: "block",
    params: () => ({ operation: "archive", label: "spare", archival_label: "it" }),
    operation: "overwrite",
    others: [spareInSight],
  },
  {
    name: "block archive it over another",
    tool: "block",
    params: () => ({ operation: "archive", label: "it", archival_label: "spare" }),
    operation: "delete",
    entry: inSight,
    others: [spare],
  },
  {
    name: "block load in place",
    tool: "block",
    params: () => ({ operation: "load", archival_label: "it" }),
    operation: "read",
    looks: false,
  },
  {
    name: "block load as a copy",
    tool: "block",
    params: () => ({ operation: "load", archival_label: "it", label: "copy" }),
    operation: "read",
    looks: false,
  },
  {
    name: "block swap, archiving it",
    tool: "block",
    params: () => ({ operation: "swap", archive_label: "it", load_label: "spare" }),
    operation: "overwrite",
    entry: inSight,
    others: [spare],
  },
  {
    name: "block swap, loading it",
    tool: "block",
    params: () => ({ operation: "swap", archive_label: "spare", load_label: "it" }),
    operation: "read",
    others: [spareInSight],
    looks: false,
  },
  {
    name: "block share",
    tool: "block",
    params: () => ({ operation: "share", label: "it", agent: "reader", permission: "read_only" }),
    operation: "read",
    always: "asked",
    looks: false,
  },
  {
    name: "block unshare, of who has it",
    tool: "block",
    params: () => ({ operation: "unshare", label: "it", agent: "reader" }),
    operation: "read",
    looks: false,
    before: ({ memory }, { id, scope }) =>
      memory.edit(
        scope,
        [{ do: "share_block", id, with: agentScope("local", "reader"), permission: "read_only" }],
        { by: "owner:ada" },
      ),
  },
  {
    name: "block unshare, of who has it not",
    tool: "block",
    params: () => ({ operation: "unshare", label: "it", agent: "nobody" }),
    operation: "read",
  },
  {
    name: "recall insert, beside it",
    tool: "recall",
    params: () => ({ operation: "insert", content: "two" }),
    operation: "read",
    looks: false,
  },
  {
    name: "recall append",
    tool: "recall",
    params: () => ({ operation: "append", label: "it", content: "two" }),
    operation: "append",
  },
  {
    name: "recall read",
    tool: "recall",
    params: () => ({ operation: "read", label: "it" }),
    operation: "read",
  },
  {
    name: "recall delete",
    tool: "recall",
    params: ({ id }) => ({ operation: "delete", label: id }),
    operation: "delete",
  },
  {
    name: "search",
    tool: "search",
    params: () => ({ domain: "all", query: "one" }),
    operation: "read",
  },
  {
    name: "semantic_search",
    tool: "semantic_search",
    params: () => ({ query: "one" }),
    operation: "read",
  },
];

testAcl("blocks", () => openMemoryWorld((memory) => blockTools({ memory })), rows);
