import type { Migration } from "../../../db/index.ts";
import { memory } from "./0010-memory.ts";
import { memoryVectors } from "./0011-memory-vectors.ts";
import { memoryGraph } from "./0012-memory-graph.ts";

export const memoryMigrations: readonly Migration[] = [memory, memoryVectors, memoryGraph];
