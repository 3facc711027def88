import type { Connector, Environment, Processes, Snapshots, Workspace } from "../host/index.ts";
import type { ArtifactStore } from "../kernel/index.ts";
import { approvalsModule } from "../modules/approvals/module.ts";
import { artifactsModule } from "../modules/artifacts/module.ts";
import { chainModule } from "../modules/chain/module.ts";
import { dataModule } from "../modules/data/module.ts";
import { eventsModule } from "../modules/events/module.ts";
import { filesModule } from "../modules/files/module.ts";
import { findingModule } from "../modules/finding/module.ts";
import type { SelectionServices } from "../modules/finding/tools/index.ts";
import { grantsModule } from "../modules/grants/module.ts";
import { jobsModule } from "../modules/jobs/module.ts";
import { ledgerModule } from "../modules/ledger/module.ts";
import { type MemoryService, memoryModule } from "../modules/memory/module.ts";
import { messagesModule } from "../modules/messages/module.ts";
import type { Module } from "../modules/module.ts";
import { scriptModule } from "../modules/script/module.ts";
import type { Secrets } from "../modules/secrets/index.ts";
import { secretsModule } from "../modules/secrets/module.ts";
import type { Sessions } from "../modules/sessions/index.ts";
import { sessionsModule } from "../modules/sessions/module.ts";
import { shellModule } from "../modules/shell/module.ts";
import { systemModule } from "../modules/system/module.ts";
import type { TaskDesk, Tasks } from "../modules/tasks/index.ts";
import { tasksModule } from "../modules/tasks/module.ts";
import type { Todos } from "../modules/todos/index.ts";
import { todosModule } from "../modules/todos/module.ts";
import type { ChangeLog } from "../modules/undo/index.ts";
import { undoModule } from "../modules/undo/module.ts";
import type { Usage } from "../modules/usage/index.ts";
import { usageModule } from "../modules/usage/module.ts";
import { webModule } from "../modules/web/module.ts";
import type { HaftConfig } from "./config/config-types.ts";
import type { KeptSeenFiles } from "./kept-seen-files.ts";

/** What the modules are made of; each names the ports it needs. */
export interface ModulePorts {
  readonly workspace: Workspace;
  readonly processes: Processes;
  readonly snapshots: Snapshots | undefined;
  readonly connector: Connector;
  readonly environment: Environment;
  readonly artifacts: ArtifactStore;
  readonly changes: ChangeLog;
  /** What was read, for tools that change files. */
  readonly seen: KeptSeenFiles;
  readonly settings: HaftConfig;
  readonly secrets: Pick<Secrets, "set" | "list" | "delete">;
  readonly selection: SelectionServices;
  readonly memory: MemoryService;
  readonly usage: Usage;
  readonly sessions: Sessions;
  readonly taskDesk: TaskDesk;
  readonly tasks: Tasks;
  readonly todos: Todos;
  /** Paths of files that hold data from outside. */
  readonly untrustedFiles: () => Promise<readonly string[]>;
  /** Ends a run of the agent. */
  readonly stopRun: (scope: string, runId: string, why: string) => Promise<boolean>;
}

/** All modules that bring tools, migrations, jobs or settings. Tools are listed, and of two of one name chosen, in this order. */
export const modules: readonly Module<ModulePorts>[] = [
  shellModule,
  filesModule,
  undoModule,
  webModule,
  dataModule,
  systemModule,
  secretsModule,
  chainModule,
  scriptModule,
  findingModule,
  memoryModule,
  approvalsModule,
  artifactsModule,
  eventsModule,
  grantsModule,
  jobsModule,
  ledgerModule,
  messagesModule,
  sessionsModule,
  tasksModule,
  todosModule,
  usageModule,
];
