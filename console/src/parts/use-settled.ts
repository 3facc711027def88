import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** A value that a person is choosing. */
export interface Settled<Value> {
  /** The value as it was chosen last. */
  readonly chosen: Value;
  readonly choose: (value: Value) => void;
  /** Tells the value at once, if it has not been told yet. */
  readonly settle: () => void;
}

/**
 * Tells a value once a person has left it alone for a while. A value that comes from elsewhere takes its place, unless
 * the person is still choosing, or it is what they chose.
 */
export function useSettled<Value>({
  value,
  change,
  pauseMs,
  isSame = Object.is,
}: {
  /** The value as it was told last, by this field or elsewhere. */
  readonly value: Value;
  readonly change: (value: Value) => void;
  readonly pauseMs: number;
  /** Whether a value is what was told, in another form. @default they are identical */
  readonly isSame?: (one: Value, other: Value) => boolean;
}): Settled<Value> {
  const [chosen, setChosen] = useState(value);
  const tell = useRef<() => void>(undefined);
  const timer = useRef(0);
  const latest = useRef(change);
  latest.current = change;
  // A layout effect, since a later one could undo the next key or click.
  useLayoutEffect(() => {
    if (tell.current === undefined) setChosen((now) => (isSame(now, value) ? now : value));
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const settle = () => {
    clearTimeout(timer.current);
    const told = tell.current;
    tell.current = undefined;
    told?.();
  };
  const choose = (next: Value) => {
    setChosen(next);
    clearTimeout(timer.current);
    tell.current = () => latest.current(next);
    timer.current = window.setTimeout(settle, pauseMs);
  };
  return { chosen, choose, settle };
}
