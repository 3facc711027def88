import type { Module } from "../module.ts";
import type { SessionServices } from "./tools/session-archive-read.ts";

export const sessionsModule: Module<SessionServices> = {
  name: "sessions",
  collections: { mainAgentTools: ["session_archive_read"], sessionTools: ["session_archive_read"] },
  families: {
    sessionArchive: {
      pack: "tasks",
      profiles: ["coding", "task", "full"],
      needsModel: true,
      make: async (ports) => [
        (await import("./tools/session-archive-read.ts")).sessionArchiveReadTool(ports),
      ],
    },
  },
  migrations: async () => (await import("./migrations/index.ts")).sessionMigrations,
};
