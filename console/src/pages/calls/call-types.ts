import type { CallDetail } from "../../../../src/server/console/api/index.ts";

export type CallRecord = CallDetail["call"];
