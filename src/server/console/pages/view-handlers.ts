import type { ViewsApi } from "../api/index.ts";
import type { Handlers } from "../route.ts";
import { chatHandlers } from "./chat.ts";
import { costHandlers } from "./cost.ts";
import { memoryHandlers } from "./memory.ts";
import { policyHandlers } from "./policy.ts";
import { serverHandlers } from "./servers.ts";
import { taskHandlers } from "./tasks.ts";
import { toolHandlers } from "./tools.ts";
import { traceHandlers } from "./trace.ts";
import { upkeepHandlers } from "./upkeep.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** The handlers of all pages beside Now, Questions and Calls. */
export const viewHandlers: Handlers<ViewsApi> = withoutSecrets({
  ...toolHandlers,
  ...traceHandlers,
  ...serverHandlers,
  ...memoryHandlers,
  ...upkeepHandlers,
  ...policyHandlers,
  ...costHandlers,
  ...chatHandlers,
  ...taskHandlers,
});
