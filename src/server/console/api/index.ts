import type { CallsApi } from "./calls.ts";
import type { NowApi } from "./now.ts";
import type { QuestionsApi } from "./questions.ts";
import type { ViewsApi } from "./views.ts";

export type { CallOutput, CallOutputApi } from "./call-output.ts";
export type { CallDetail, CallsAddress, CallsApi } from "./calls.ts";
export type { ApiFault, Endpoint } from "./endpoint.ts";
export type { Now, NowApi } from "./now.ts";
export type { QuestionAnswer, QuestionDetail, QuestionsApi } from "./questions.ts";
export type { NewSession, SessionInfo } from "./session.ts";
export type * from "./views.ts";

/**
 * All endpoints of the console, by method and path below `/console/api/v1`. `:name` is one segment of the path. The types
 * of the server demand a handler for each.
 */
export interface ConsoleApi extends NowApi, QuestionsApi, CallsApi, ViewsApi {}
