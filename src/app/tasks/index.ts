export { TaskDriver } from "./drive-tasks.ts";
export { awaitNextTurn } from "./next-turn.ts";
