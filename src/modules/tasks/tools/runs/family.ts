import type { ToolFamily } from "../../../module.ts";
import type { TaskRunServices } from "./services.ts";

/** The tools by which agents give work to other agents. */
export const taskRunFamily: ToolFamily<TaskRunServices> = {
  profiles: ["coding", "task", "full"],
  needsModel: true,
  make: async (services) => (await import("./index.ts")).taskRunTools(services),
};
