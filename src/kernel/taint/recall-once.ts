import type { MaybePromise } from "../../base/index.ts";

/** Asks once and passes on the answer; returns undefined once that is done. A failure is reported, and asked again later. */
export function recallOnce<Answer>(
  ask: (() => MaybePromise<Answer>) | undefined,
  { tell, onError }: { readonly tell: (answer: Answer) => void; readonly onError: (error: unknown) => void },
): () => Promise<void> | undefined {
  let left = ask;
  let asking: Promise<void> | undefined;
  return () => {
    const asked = left;
    if (asked === undefined) return undefined;
    asking ??= (async () => {
      try {
        tell(await asked());
        left = undefined;
      } catch (error) {
        onError(error);
      } finally {
        asking = undefined;
      }
    })();
    return asking;
  };
}
