import type { ComponentChildren, VNode } from "preact";
import type { ListRow } from "./axis.ts";

/** A column of a list. */
export interface ListColumn<Row> {
  readonly name: string;
  readonly class: string;
  readonly show: (row: Row) => ComponentChildren;
}

/** Position of a row in its list. */
export interface RowPlace {
  /** Its `aria-rowindex`. */
  readonly index: number;
  /** Distance from the top of the scrolled area, and height, in pixels. */
  readonly top: number;
  readonly height: number;
  readonly isActive: boolean;
}

interface ShownRow extends RowPlace {
  readonly node: VNode;
}

/** Makes the elements of rows. A row that has not changed keeps its element, so that scrolling renders only what comes into view. */
export class ShownRows<Row extends ListRow> {
  readonly #columns: readonly ListColumn<Row>[];
  readonly #getHref: (row: Row) => string;
  readonly #onFocus: (seq: number) => void;
  readonly #shown = new WeakMap<Row, ShownRow>();

  /** @param onFocus Called with the `seq` of a row whose link gets the focus. */
  constructor(
    columns: readonly ListColumn<Row>[],
    getHref: (row: Row) => string,
    onFocus: (seq: number) => void,
  ) {
    this.#columns = columns;
    this.#getHref = getHref;
    this.#onFocus = onFocus;
  }

  show(row: Row, place: RowPlace): VNode {
    const before = this.#shown.get(row);
    if (before !== undefined && isSamePlace(before, place)) return before.node;
    const node = this.#render(row, place);
    this.#shown.set(row, { ...place, node });
    return node;
  }

  #render(row: Row, { index, top, height, isActive }: RowPlace): VNode {
    return (
      <div
        key={row.seq}
        id={`row-${row.seq}`}
        class="list-row"
        role="row"
        aria-rowindex={index}
        aria-selected={isActive}
        style={{ transform: `translateY(${top}px)`, height: `${height}px` }}
      >
        {this.#columns.map((column, at) => (
          <span key={column.name} role="gridcell" class={column.class}>
            {at === 0 ? (
              <a
                class="row-link"
                href={this.#getHref(row)}
                tabIndex={-1}
                onFocus={() => this.#onFocus(row.seq)}
              >
                {column.show(row)}
              </a>
            ) : (
              column.show(row)
            )}
          </span>
        ))}
      </div>
    );
  }
}

function isSamePlace(one: RowPlace, other: RowPlace): boolean {
  return (
    one.index === other.index &&
    one.top === other.top &&
    one.height === other.height &&
    one.isActive === other.isActive
  );
}
