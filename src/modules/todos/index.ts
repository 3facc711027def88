export { TodoError, type TodoErrorCode, todoErrorCodes } from "./store/errors.ts";
export { SqlTodos } from "./store/sql-todos.ts";
export type { NewTodo, Todo, TodoChange, TodoStep, Todos } from "./store/todos.ts";
