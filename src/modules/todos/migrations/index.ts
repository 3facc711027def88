import type { Migration } from "../../../db/index.ts";
import { todos } from "./0028-todos.ts";

export const todoMigrations: readonly Migration[] = [todos];
