import type { Migration } from "../../../db/index.ts";
import { modelCalls } from "./0020-model-calls.ts";

export const usageMigrations: readonly Migration[] = [modelCalls];
