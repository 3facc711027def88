// The data that pages of the console and `--json` show. Loaded only by code that shows it.
export { deleteSession } from "../agent/delete-session.ts";
export { type OwnRules, readOwnRules, saveOwnRules, tryOwnRules } from "../policy/own-rules.ts";
export { findReflection, type Reflection } from "../reflection/find-reflection.ts";
export type { TraceColumns } from "../trace/columns.ts";
export { type FoundConversation, findCurrentRun, listConversations } from "./conversations.ts";
export { type ListedHook, listHooks } from "./listed-hooks.ts";
export { describeView, type SessionView } from "./session-view.ts";
export { ledgerRemedy } from "./store-remedies.ts";
export { readTaskViews, type TaskView, type TaskWait } from "./task-views.ts";
export { describeQuarantine, describeTool, type ToolData, toolData } from "./tool-data.ts";
export { listToolVersions, type ToolVersion } from "./tool-versions.ts";
