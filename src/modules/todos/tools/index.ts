export { type TodoServices, trackTaskTool } from "./track-task.ts";
