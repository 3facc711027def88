import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../shell/keys.ts";
import type { ListRow } from "./axis.ts";
import type { RowWindow, Viewport } from "./row-window.ts";
import { chooseNextRange, type RowRange } from "./shown-range.ts";
import { type ListColumn, ShownRows } from "./shown-rows.tsx";

/** Measures of the visible list for a {@link RowWindow}, and its way to scroll. */
export interface ListPort {
  viewport: Viewport;
  setScrollTop: (pixels: number) => void;
  rowHeight: number;
}

export function createListPort(): ListPort {
  return { viewport: { scrollTop: 0, height: 800 }, setScrollTop: () => {}, rowHeight: 30 };
}

/** Screens up to this width have two lines a row. */
const narrow = "(max-width: 700px)";

/** Whether the browser has the event `scrollend`. Without it, a scrollbar that is held still counts as the end of a scroll. */
const hasScrollEnd: boolean = "onscrollend" in window;
/** Delay between the end of a scroll and moving the rows to their place: each turn of a wheel is a scroll that ends. */
const restMs = 200;

/** Shows a list of any length. Only rows near the visible part are in the document. */
export function LongList<Row extends ListRow>({
  rows: source,
  port,
  label,
  columns,
  getHref,
  open,
}: {
  readonly rows: RowWindow<Row>;
  readonly port: ListPort;
  readonly label: string;
  readonly columns: readonly ListColumn<Row>[];
  readonly getHref: (row: Row) => string;
  readonly open: (row: Row) => void;
}): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const [{ seen }, setSeen] = useState({ seen: port.viewport.scrollTop });
  const [active, setActive] = useState<number>();
  const [isNarrow, setNarrow] = useState(() => matchMedia(narrow).matches);
  port.rowHeight = isNarrow ? 54 : 32;
  const { rows, top, height, atNewest } = source.state.value;

  useEffect(() => {
    const list = scroller.current;
    if (list === null) return;
    port.viewport = {
      get scrollTop() {
        return list.scrollTop;
      },
      set scrollTop(pixels) {
        list.scrollTop = pixels;
      },
      get height() {
        return list.clientHeight;
      },
    };
    port.setScrollTop = (pixels) => {
      list.scrollTop = pixels;
      setSeen({ seen: list.scrollTop });
    };
    const media = matchMedia(narrow);
    const onMedia = () => {
      setNarrow(media.matches);
      void source.open();
    };
    media.addEventListener("change", onMedia);
    const watch = new ResizeObserver(() => source.look());
    watch.observe(list);
    source.look();
    return () => {
      media.removeEventListener("change", onMedia);
      watch.disconnect();
    };
  }, [source]);

  const frame = useRef(0);
  const rest = useRef(0);
  const settleLater = () => {
    clearTimeout(rest.current);
    rest.current = window.setTimeout(() => source.settle(), restMs);
  };
  const renderInFrame = () => {
    if (frame.current !== 0) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      if (scroller.current === null) return;
      setSeen({ seen: scroller.current.scrollTop });
      source.look();
    });
  };
  const onScroll = () => {
    renderInFrame();
    clearTimeout(rest.current);
    if (!hasScrollEnd) settleLater();
  };
  useEffect(() => () => clearTimeout(rest.current), [source]);

  const rowHeight = port.rowHeight;
  const first = Math.round(top / rowHeight);
  const inView = {
    from: Math.floor((seen - top) / rowHeight),
    to: Math.ceil((seen + port.viewport.height - top) / rowHeight),
  };
  // The range is kept relative to the whole list, since the loaded part moves.
  const kept = useRef<RowRange>({ from: 0, to: 0 });
  const before = { from: kept.current.from - first, to: kept.current.to - first };
  const shownRange = chooseNextRange(before, inView, rows.length);
  const { from, to } = shownRange;
  useLayoutEffect(() => {
    kept.current = { from: from + first, to: to + first };
    const next = chooseNextRange(shownRange, inView, rows.length);
    if (next.from !== from || next.to !== to) renderInFrame();
  });
  const activeAt = active === undefined ? -1 : rows.findIndex(({ seq }) => seq === active);

  const move = (to: number) => {
    const at = Math.max(0, Math.min(rows.length - 1, to));
    const row = rows[at];
    if (row === undefined) return;
    setActive(row.seq);
    const pixel = top + at * rowHeight;
    const { scrollTop, height: seenNow } = port.viewport;
    if (pixel < scrollTop) port.setScrollTop(pixel);
    else if (pixel + rowHeight > scrollTop + seenNow) port.setScrollTop(pixel + rowHeight - seenNow);
    source.look();
  };
  useKeys((event) => {
    const focus = document.activeElement;
    const elsewhere = focus !== null && focus.closest("a, button, summary") !== null;
    const first = Math.ceil((port.viewport.scrollTop - top) / rowHeight);
    const pageOn = Math.max(1, Math.floor(port.viewport.height / rowHeight) - 1);
    const at = activeAt < 0 ? first - 1 : activeAt;
    const steps: Readonly<Record<string, () => void>> = {
      j: () => move(at + 1),
      k: () => move(activeAt < 0 ? first : at - 1),
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(activeAt < 0 ? first : at - 1),
      PageDown: () => move(at + pageOn),
      PageUp: () => move(at - pageOn),
      Home: () => {
        port.setScrollTop(0);
        setActive(atNewest ? rows[0]?.seq : undefined);
        source.look();
      },
      End: () => {
        port.setScrollTop(height);
        setActive(undefined);
        source.look();
      },
      Enter: () => {
        const row = rows[activeAt];
        if (row !== undefined) open(row);
      },
    };
    if (!Object.hasOwn(steps, event.key) || (event.key === "Enter" && elsewhere)) return false;
    steps[event.key]?.();
    return true;
  });

  const shown = useMemo(() => new ShownRows<Row>(columns, getHref, setActive), [columns]);
  return (
    <div class="list" role="grid" aria-label={label} aria-rowcount={Math.round(height / rowHeight) + 1}>
      <div class="list-head" role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <span key={column.name} role="columnheader" class={column.class}>
            {column.name}
          </span>
        ))}
      </div>
      <div
        ref={scroller}
        class="list-rows"
        role="rowgroup"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={activeAt >= from && activeAt < to ? `row-${active}` : undefined}
        onScroll={onScroll}
        onScrollEnd={settleLater}
      >
        <div class="list-height" role="presentation" style={{ height: `${height}px` }}>
          {rows.slice(from, to).map((row, index) =>
            shown.show(row, {
              index: Math.max(0, first) + from + index + 2,
              top: top + (from + index) * rowHeight,
              height: rowHeight,
              isActive: row.seq === active,
            }),
          )}
        </div>
      </div>
    </div>
  );
}
