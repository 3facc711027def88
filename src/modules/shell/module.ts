import type { FileServices } from "../files/index.ts";
import type { Module } from "../module.ts";
import type { ShellServices } from "./services.ts";

export const shellModule: Module<ShellServices & FileServices> = {
  name: "shell",
  families: {
    shell: {
      profiles: ["coding", "full", "queue"],
      make: async (ports) => {
        const { commandUndo } = await import("../files/index.ts");
        const { shellTools } = await import("./index.ts");
        return shellTools({ ...ports, undo: commandUndo(ports) });
      },
    },
  },
};
