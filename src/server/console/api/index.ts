import type { CallsApi } from "./calls.ts";
import type { NowApi } from "./now.ts";
import type { QuestionsApi } from "./questions.ts";
import type { ViewsApi } from "./views.ts";

export type { CallDetail, CallsAddress, CallsApi } from "./calls.ts";
export type { ApiFault, Endpoint } from "./endpoint.ts";
export type { Now, NowApi } from "./now.ts";
export type { QuestionAnswer, QuestionDetail, QuestionsApi } from "./questions.ts";
export type { NewSession, SessionInfo } from "./session.ts";
export type * from "./views.ts";

/**
 * What the console's pages ask for: the method and the path below `/console/api/v1`, in which `:name` is one segment.
 * The server has a handler for each, or it does not compile.
 */
export interface ConsoleApi extends NowApi, QuestionsApi, CallsApi, ViewsApi {}
