import type { ChatApi } from "./chat.ts";
import type { CostApi } from "./cost.ts";
import type { MemoryApi } from "./memory.ts";
import type { PolicyApi } from "./policy.ts";
import type { ServersApi } from "./servers.ts";
import type { TasksApi } from "./tasks.ts";
import type { ToolsApi } from "./tools.ts";
import type { TraceApi } from "./trace.ts";
import type { UpkeepApi } from "./upkeep.ts";

export type * from "./chat.ts";
export type * from "./cost.ts";
export type * from "./memory.ts";
export type * from "./policy.ts";
export type * from "./servers.ts";
export type * from "./tasks.ts";
export type * from "./tools.ts";
export type * from "./trace.ts";
export type * from "./upkeep.ts";

/** The endpoints of all pages except Now, Questions and Calls. */
export interface ViewsApi
  extends ChatApi,
    CostApi,
    MemoryApi,
    PolicyApi,
    ServersApi,
    TasksApi,
    ToolsApi,
    TraceApi,
    UpkeepApi {}
