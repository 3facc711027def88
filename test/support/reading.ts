/** As long as a person takes to read a question: haft takes nothing that comes sooner for an answer. */
export function read(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000));
}
