import type { ConsoleHandlers } from "../route.ts";
import { callsHandlers } from "./calls.ts";
import { nowHandlers } from "./now.ts";
import { questionsHandlers } from "./questions.ts";
import { viewHandlers } from "./view-handlers.ts";

/** The handlers of all pages. */
export const pageHandlers: ConsoleHandlers = {
  ...nowHandlers,
  ...questionsHandlers,
  ...callsHandlers,
  ...viewHandlers,
};
