import type { z } from "zod";

/** Which parameters an operation takes beside its name: those it needs, and those it may have. */
export type OperationParameters<Operation extends string> = Readonly<
  Record<Operation, { readonly needs: readonly string[]; readonly takes?: readonly string[] }>
>;

/** Refuses a call that lacks what its operation needs, or has what it would ignore. For `superRefine`. */
export function checkOperation<Operation extends string>(
  operations: OperationParameters<Operation>,
): (given: { readonly operation: Operation }, check: z.RefinementCtx) => void {
  return (given, check) => {
    const { operation, ...rest } = given as { operation: Operation } & Record<string, unknown>;
    const { needs, takes = [] } = operations[operation];
    const refuse = (path: string, message: string) =>
      check.addIssue({ code: "custom", path: [path], message });
    for (const name of needs)
      if (rest[name] === undefined) refuse(name, `the operation ${operation} needs it`);
    for (const [name, value] of Object.entries(rest))
      if (value !== undefined && !needs.includes(name) && !takes.includes(name))
        refuse(name, `the operation ${operation} takes none; leave it out`);
  };
}
