import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * A box that grows and does not shrink, so that what stands above it keeps its place on the screen while the content of
 * the box is replaced. It shrinks when `until` changes.
 */
export function useHeldHeight(until: unknown): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.style.minHeight = "";
    const sizes = new ResizeObserver(() => {
      element.style.minHeight = `${Math.ceil(element.getBoundingClientRect().height)}px`;
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [until]);
  return box;
}
