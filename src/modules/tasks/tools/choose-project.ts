import { oneLine } from "../../../base/index.ts";
import { TaskError } from "../store/errors.ts";
import type { QueueServices } from "./services.ts";

/** The project of a call: the one that it names, else the active one. Undefined if there is neither. */
export function findProject({ project }: QueueServices, given: string | undefined): string | undefined {
  const id = oneLine(given ?? project ?? "");
  return id === "" ? undefined : id;
}

/** @throws {TaskError} QUEUE_PROJECT_REQUIRED */
export function chooseProject(services: QueueServices, given: string | undefined): string {
  const id = findProject(services, given);
  if (id !== undefined) return id;
  throw new TaskError(
    "QUEUE_PROJECT_REQUIRED",
    "project_id is required (no active project set); give the id of the project",
  );
}
