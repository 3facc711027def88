export { TaskDriver } from "./drive-tasks.ts";
