import { defaultTaskLimits } from "../../modules/tasks/module.ts";
import type { HaftConfig } from "./config-types.ts";

/** The limits of tasks, as a configuration file has them. */
export type TaskLimitSettings = NonNullable<NonNullable<HaftConfig["agent"]>["tasks"]>;

/** The limits that hold where no file says otherwise. */
export const defaultLimits: Required<TaskLimitSettings> = { ...defaultTaskLimits, minutes: 30 };

/** The user's limits with those of a project that is not trusted, which can only lower them. */
export function lowerTaskLimits(
  own: TaskLimitSettings = {},
  project: TaskLimitSettings | undefined,
): TaskLimitSettings | undefined {
  if (project === undefined) return undefined;
  const all = { ...defaultLimits, ...own };
  const names = Object.keys(defaultLimits) as (keyof TaskLimitSettings)[];
  const lower = names.flatMap((name) => {
    const limit = project[name];
    return limit !== undefined && limit < all[name] ? [[name, limit] as const] : [];
  });
  return { ...own, ...Object.fromEntries(lower) };
}
