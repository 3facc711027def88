import type { z } from "zod";

/** Which parameters an operation takes beside its name: those it needs, and those it may have. */
export type OperationParameters<Operation extends string> = Readonly<
  Record<Operation, { readonly needs: readonly string[]; readonly takes?: readonly string[] }>
>;

/**
 * Refuses a call that lacks what its operation needs, or has what it would ignore. For `superRefine`.
 *
 * @param by the parameter that names the operation
 */
export function checkOperation<By extends string, Operation extends string>(
  by: By,
  operations: OperationParameters<Operation>,
): (given: { readonly [Name in By]: Operation }, check: z.RefinementCtx) => void {
  return (given, check) => {
    const operation = given[by];
    const { needs, takes = [] } = operations[operation];
    const refuse = (path: string, message: string) =>
      check.addIssue({ code: "custom", path: [path], message });
    const values = given as Readonly<Record<string, unknown>>;
    for (const name of needs) if (values[name] === undefined) refuse(name, `the ${by} ${operation} needs it`);
    for (const [name, value] of Object.entries(values))
      if (name !== by && value !== undefined && !needs.includes(name) && !takes.includes(name))
        refuse(name, `the ${by} ${operation} takes none; leave it out`);
  };
}
