import type { ComponentChildren, VNode } from "preact";
import { Text } from "../text/text.tsx";

/** What went wrong, with its code and a way to try again. */
export function Fault({
  fault,
  retry,
}: {
  readonly fault: { readonly error: string; readonly code: string | undefined };
  readonly retry?: () => void;
}): VNode {
  return (
    <div class="fault" role="alert">
      <p>
        <Text value={fault.error} />
      </p>
      <p class="fault-foot">
        {fault.code !== undefined && (
          <code>
            <Text value={fault.code} />
          </code>
        )}
        {retry && (
          <button type="button" class="quiet" onClick={retry}>
            Try again
          </button>
        )}
      </p>
    </div>
  );
}

/** There is nothing, and what to do so that there is. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** It is asked for; seen only if it takes long. */
export function Loading(): VNode {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  );
}
