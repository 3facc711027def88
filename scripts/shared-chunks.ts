/** A chunk of the built program, and a test for the files of the modules in it. */
interface SharedChunk {
  readonly name: string;
  readonly test: RegExp;
}

/**
 * Chunks that several modules share. A chunk holds small modules that most of the program uses, since opening a file takes
 * longer than reading it, or the part of a folder that other folders use, which would otherwise load the whole folder.
 * Their modules import none of the folders above them, so no chunks import each other in a circle.
 */
export const sharedChunks: readonly SharedChunk[] = [
  chunk(
    "base",
    "base/.+",
    "(?:app|db|host|mcp|modules/.+)/errors",
    "search/cost/(?:choose-exposure|prompt-cost|tool-budget)",
    "app/packs/pack-prefix",
    "app/records/(?:index-path|json-bytes)",
    "app/(?:config/task-limits|models/unknown-models|project-id)",
    "modules/tasks/store/(?:runs/limits|states)",
    "modules/undo/store/changed-paths",
    "db/bounded-text",
    "app/store/store-schema",
  ),
  chunk(
    "modules",
    "modules/(?:.+/module|memory/settings|tasks/tools/runs/family|web/settings)",
    "modules/web/network-options",
    "app/(?:catalogue|collections|deferred-tools|modules|own-tools)",
    "app/packs/tool-packs",
  ),
  chunk("words", "search/tools/stem", "search/words/.+"),
  chunk("model", "model/.+", "providers/ai-sdk/plain-headers"),
  chunk("agent", "agent/.+"),
  chunk(
    "db",
    "db/(?:copy-store|faults|made-mark|random-id)",
    "db/sqlite/(?:file-locks|load-sqlite|sqlite|sqlite-connection|sqlite-file|sqlite-query)",
  ),
  chunk(
    "process",
    "host/process/(?:in-place-reader|kept-bytes|pipes|request|run|start-fault|stop|streams|tree|wire)",
    "host/net/origin-check",
    "host/sandbox/(?:find-program|places|program-search)",
  ),
  // What the records' own thread reads, too.
  chunk(
    "records",
    "modules/(?:approvals|events|ledger)/index",
    "modules/(?:approvals|events|ledger)/store/.+",
    "modules/secrets/store/check-secret",
    "app/all-calls",
    "app/trace/.+",
  ),
  // Reports of usage are left out, since they load the query library.
  chunk(
    "runs",
    "modules/(?:jobs|sessions|tasks|usage)/index",
    "modules/jobs/(?:job-runner|store/.+)",
    "modules/(?:sessions|tasks)/store/.+",
    "modules/usage/store/(?:sql-)?usage",
  ),
  chunk("text-files", "modules/files/(?:text/text-encoding|editing/late-preview)"),
  chunk(
    "memory-store",
    "modules/memory/upkeep/prompts/(?:data-lines|priorities)",
    "modules/memory/store/(?:access|entry-limits|memory-entry|memory-store|own-pages|sql-memory)",
    "modules/memory/store/entries/(?:checked-entry|refusals)",
    "modules/memory/store/graph/(?:checked-facts|memory-graph|names|sql-graph)",
    "modules/memory/store/search/words",
    "modules/memory/store/vectors/small-vector",
  ),
  chunk(
    "memory-queries",
    "db/prepared",
    "modules/memory/store/entries/(?:entry-row|filter|find-entries)",
    "modules/memory/store/graph/forget-facts",
    "modules/memory/store/search/(?:document|posting-counts|dates/(?:spelled-date|time-phrase)|names/names)",
  ),
  chunk(
    "turns",
    "app/agent/(?:memory-scope|record-turns|reflection|resumed-mode|run-jobs|turn-settings)",
    "app/tasks/(?:drive-tasks|held-up|next-turn|require-approved|task-budgets|task-settings|work-time)",
    "modules/tasks/tools/(?:effects|find-actor|person-gate|restart)",
  ),
  // What is said in a turn is recorded at its end, and compared with what is there.
  chunk(
    "recording",
    "modules/memory/store/(?:likeness|record-turns|reindex-scope|plain/(?:kept-entry|matches-filter))",
    "modules/memory/store/entries/(?:entry-edits|list-entries|new-entries|shares|versions)",
    "modules/memory/store/(?:search|vectors)/.+",
  ),
  chunk(
    "memory-files",
    "modules/memory/tools/files/(?:file-index|front-matter|memory-files|memory-folder|memory-path|memory-text|positions|stretches|with-memory-files)",
  ),
  chunk(
    "cli",
    "cli/(?:command-entry|command-table|errors|examples|exit-codes|find-serving|help|interrupt|program|terminal|young-generation)",
    "cli/calls/stdin-text",
    "cli/chat/(?:call-line|conversations)",
    "cli/mcp/await-servers",
    "cli/options/(?:agent|dollars|overrides|profile|stray|whole-number)",
    "cli/text/(?:display-width|local-time|span|table)",
    "cli/usage/format-usd",
  ),
  // These modules need the kernel, which commands that ask nothing do not load.
  chunk(
    "asking",
    "cli/asking/(?:approval-choice|ask-yes|owner-identity|owner-only|terminal-approver)",
    "cli/calls/settle-input",
    "cli/options/mode",
    "cli/text/approval",
  ),
];

/** @param paths Patterns of paths in `src/`, without their ending. */
function chunk(name: string, ...paths: readonly string[]): SharedChunk {
  const path = paths.join("|").replaceAll("/", String.raw`[\\/]`);
  return { name, test: new RegExp(String.raw`[\\/]src[\\/](?:${path})\.(?:ts|json)$`) };
}
