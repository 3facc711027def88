import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type AclRow, testAcl } from "../../../../../test/support/memory-acl.ts";
import { openMemoryWorld } from "../../../../../test/support/memory-world.ts";
import { UndoFolder, Workspace } from "../../../../host/index.ts";
import { noteTools } from "./note-tools.ts";
import type { MemoryDigest } from "./services.ts";

const note = { kind: "note", label: "notes/haft/it", title: "it", tags: ["project:haft"] } as const;
const profile = { kind: "profile", label: "profile/haft", tags: ["project:haft"] } as const;
const title = "it";
/** Long ago. */
const old = { kind: "memory", at: Date.parse("2026-05-04T08:00:00Z") } as const;

const rows: readonly AclRow[] = [
  { name: "list_notes", tool: "list_notes", params: () => ({}), operation: "read", entry: note },
  { name: "read_note", tool: "read_note", params: () => ({ title }), operation: "read", entry: note },
  {
    name: "write_note",
    tool: "write_note",
    params: () => ({ title, content: "two" }),
    operation: "overwrite",
    entry: note,
  },
  {
    name: "append_note",
    tool: "append_note",
    params: () => ({ title, content: "two" }),
    operation: "append",
    entry: note,
  },
  {
    name: "delete_note",
    tool: "delete_note",
    params: () => ({ title }),
    operation: "delete",
    entry: note,
  },
  {
    name: "promote_note of it",
    tool: "promote_note",
    params: () => ({ title }),
    operation: "read",
    entry: note,
    looks: false,
  },
  {
    name: "promote_note into it",
    tool: "promote_note",
    params: () => ({ title }),
    operation: "overwrite",
    entry: profile,
    others: [note],
  },
  { name: "view_profile", tool: "view_profile", params: () => ({}), operation: "read", entry: profile },
  {
    name: "edit_project_profile",
    tool: "edit_project_profile",
    params: () => ({ content: "two" }),
    operation: "overwrite",
    entry: profile,
  },
  {
    name: "regenerate_profile",
    tool: "regenerate_profile",
    params: () => ({}),
    operation: "overwrite",
    entry: profile,
    others: [note],
  },
  {
    name: "compare_specs_notes",
    tool: "compare_specs_notes",
    params: () => ({ specs_path: resolve("docs/decisions") }),
    operation: "read",
    entry: note,
    context: { allowedPaths: [resolve("docs")] },
  },
  {
    name: "compact_memory, with another of its week",
    tool: "compact_memory",
    params: () => ({}),
    operation: "overwrite",
    chooses: true,
    entry: old,
    others: [{ ...old, label: "other" }],
  },
  { name: "memory_reindex", tool: "memory_reindex", params: () => ({}), operation: "read", entry: note },
  { name: "memory_search", tool: "memory_search", params: () => ({ query: "one" }), operation: "read" },
  { name: "memory_stats", tool: "memory_stats", params: () => ({}), operation: "read", entry: note },
];

const answering = async () => "of a model";
const digest: MemoryDigest = { promote: answering, regenerate: answering, compact: answering };

function open() {
  const workspace = new Workspace({ undo: new UndoFolder(join(tmpdir(), "haft-notes-acl")) });
  return openMemoryWorld((memory, store) => {
    const upkeep = {
      unembedded: async () => undefined,
      reindex: (scope: string, signal: AbortSignal) => store.memory.reindex(scope, signal),
    };
    return noteTools({ memory, project: "haft", digest, workspace, upkeep });
  });
}

testAcl("notes", open, rows);
