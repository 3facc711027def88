import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Time for which the button must stand still before it acts. */
const restMs = 700;

/**
 * A button for what must not happen by accident. It acts once it has stood still for 700 ms, and only on a click or a
 * key that began and ended on it: a click or a keystroke that was meant for something else does nothing.
 */
export function GuardedButton({
  act,
  disabled = false,
  class: className = "",
  children,
}: {
  readonly act: () => void;
  readonly disabled?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}): VNode {
  const button = useRef<HTMLButtonElement>(null);
  const [ready, setReady] = useState(false);
  const began = useRef<"pointer" | "Enter" | " ">(undefined);
  const isReady = useRef(false);

  useEffect(
    () =>
      watchRest(button, (rests) => {
        isReady.current = rests;
        setReady(rests);
      }),
    [],
  );

  const begin = (by: "pointer" | "Enter" | " ") => {
    began.current = isReady.current && !disabled ? by : undefined;
  };
  const end = (by: "pointer" | "Enter" | " ") => {
    const acts = began.current === by && isReady.current && !disabled;
    began.current = undefined;
    if (acts) act();
  };
  return (
    <button
      ref={button}
      type="button"
      class={className}
      aria-disabled={disabled}
      data-ready={ready}
      onPointerDown={(event) => {
        if (event.button === 0) begin("pointer");
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        // The browser would click at the beginning of the key press; the button acts at its end.
        event.preventDefault();
        if (!event.repeat) begin(event.key);
      }}
      onKeyUp={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        end(event.key);
      }}
      onBlur={() => {
        began.current = undefined;
      }}
      onClick={(event) => {
        // Assistive technology sends clicks without pointer events.
        if (event.isTrusted && event.detail === 0) begin("pointer");
        end("pointer");
      }}
    >
      {children}
    </button>
  );
}

/** Calls back whenever an element begins or ends to stand still. */
function watchRest(
  element: { readonly current: HTMLElement | null },
  tell: (rests: boolean) => void,
): () => void {
  let place = "";
  let since = performance.now();
  let rests = false;
  let frame = 0;
  const look = () => {
    const box = element.current?.getBoundingClientRect();
    const now = box === undefined ? "" : `${box.x} ${box.y} ${box.width} ${box.height}`;
    if (now !== place || document.hidden) {
      place = now;
      since = performance.now();
    }
    const restsNow = performance.now() - since >= restMs;
    if (restsNow !== rests) {
      rests = restsNow;
      tell(rests);
    }
    frame = requestAnimationFrame(look);
  };
  const onVisible = () => {
    since = performance.now();
  };
  document.addEventListener("visibilitychange", onVisible);
  look();
  return () => {
    cancelAnimationFrame(frame);
    document.removeEventListener("visibilitychange", onVisible);
  };
}
