import type { CallsApi, NowApi, QuestionsApi } from "../api/index.ts";
import type { ConsoleHandlers } from "../route.ts";
import { callsHandlers } from "./calls.ts";
import { nowHandlers } from "./now.ts";
import { questionsHandlers } from "./questions.ts";
import { viewHandlers } from "./view-handlers.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** The handlers of all pages. No answer of theirs has a known secret in it. */
export const pageHandlers: ConsoleHandlers = {
  ...withoutSecrets<NowApi & QuestionsApi & CallsApi>({
    ...nowHandlers,
    ...questionsHandlers,
    ...callsHandlers,
  }),
  ...viewHandlers,
};
