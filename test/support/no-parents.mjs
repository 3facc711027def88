// Loaded before haft in tests: whoever runs them, an agent in its shell perhaps, started no person's terminal. What haft
// makes of the processes above it is tested by itself.
Object.defineProperty(process, "ppid", { value: 1 });
