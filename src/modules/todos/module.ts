import type { Module } from "../module.ts";
import type { Todos } from "./store/todos.ts";

interface TodoPorts {
  readonly todos: Todos;
  readonly settings: { readonly memory?: { readonly vocabularies?: readonly string[] } };
}

/** Todos of the person that an agent works for. They are not the tasks of agents. */
export const todosModule: Module<TodoPorts> = {
  name: "todos",
  migrations: async () => (await import("./migrations/index.ts")).todoMigrations,
  families: {
    todos: {
      profiles: ["full"],
      // The tools come with the blocks of the memory.
      isChosen: ({ settings }) => settings.memory?.vocabularies?.includes("blocks") === true || undefined,
      make: async ({ todos }) => [(await import("./tools/index.ts")).trackTaskTool({ todos })],
    },
  },
};
