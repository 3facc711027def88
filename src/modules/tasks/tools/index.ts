export { approveTaskTool } from "./approve-task.ts";
export { queueTools } from "./queue/index.ts";
export { ruleTools } from "./rule-tools.ts";
export type { AttachmentServices, QueueServices } from "./services.ts";
