export { memoriesTools } from "./memories-tools.ts";
export type { MemoriesServices } from "./services.ts";
