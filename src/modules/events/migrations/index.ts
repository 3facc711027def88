import type { Migration } from "../../../db/index.ts";
import { events } from "./0026-events.ts";

export const eventsMigrations: readonly Migration[] = [events];
