import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import { Fragment, useRef, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { useHiddenEdges } from './use-hidden-edges.ts';

export type TableColumn<Row> = {
  id: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Right-aligned, with tabular figures. */
  numeric?: boolean | undefined;
  /** The header is read out but not shown, as for a column of buttons. */
  hideHeader?: boolean | undefined;
  /** The cells are row headers. */
  rowHeader?: boolean | undefined;
  /** Hidden below 640 px. */
  wideOnly?: boolean | undefined;
  /** A class for the column's width, for tables of one screen with the same columns. */
  width?: string | undefined;
  /** Makes the header a button that sorts. `order` undefined: sorted by another column. */
  sort?: { order: 'ascending' | 'descending' | undefined; onToggle: () => void } | undefined;
};

export type TableProps<Row> = {
  caption: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Aligns cells at the top, for cells of several lines. */
  alignTop?: boolean | undefined;
  /** Returns what is shown below a row across all columns, such as an opened form; false: nothing. */
  below?: ((row: Row) => ReactNode) | undefined;
};

/**
 * Rows of facts. A table that is too wide scrolls sideways in its box. For an empty list, show an EmptyState instead.
 */
export function Table<Row>({ caption, columns, rows, rowKey, alignTop, below }: TableProps<Row>) {
  const cellClasses = (column: TableColumn<Row>) =>
    classNames(
      'px-4 first:pl-4 last:pr-4',
      column.numeric ? 'text-right tabular-nums' : 'text-left',
      column.wideOnly && 'max-sm:hidden',
    );
  const box = useRef<HTMLDivElement>(null);
  const hiddenEdges = useHiddenEdges(box);
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <div
        ref={box}
        role="region"
        aria-label={caption}
        tabIndex={0}
        data-hidden={hiddenEdges}
        // relative: keeps the hidden texts for screen readers inside the box, so that they do not widen the page
        className="fade-edges relative overflow-x-auto focus-visible:-outline-offset-2"
      >
        <table className="w-full border-collapse">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="border-b border-line text-[0.8125rem] text-quiet">
              {columns.map((column) => (
                <th
                  key={column.id}
                  scope="col"
                  aria-sort={column.sort?.order}
                  className={classNames(cellClasses(column), column.width, 'h-10 font-medium whitespace-nowrap')}
                >
                  <HeaderOf column={column} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.map((row) => {
              const opened = below?.(row);
              return (
                <Fragment key={rowKey(row)}>
                  <tr className={classNames('hover:bg-ground', alignTop && 'align-top')}>
                    {columns.map((column) =>
                      column.rowHeader ? (
                        <th
                          key={column.id}
                          scope="row"
                          className={classNames(cellClasses(column), 'h-12 py-2 font-medium')}
                        >
                          {column.cell(row)}
                        </th>
                      ) : (
                        <td key={column.id} className={classNames(cellClasses(column), 'h-12 py-2')}>
                          {column.cell(row)}
                        </td>
                      ),
                    )}
                  </tr>
                  {opened && (
                    <tr>
                      <td colSpan={columns.length} className="bg-ground p-4">
                        {/* stays in view where the columns are wider than the box */}
                        <div className="sticky left-4 w-fit max-w-[calc(100vw-4.25rem)]">{opened}</div>
                      </td>
                    </tr>
                  )}
                </Fragment>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function HeaderOf<Row>({ column: { header, hideHeader, sort } }: { column: TableColumn<Row> }) {
  if (hideHeader) return <span className="sr-only">{header}</span>;
  if (!sort) return header;
  const Arrow = sort.order === undefined ? ChevronsUpDown : sort.order === 'descending' ? ArrowDown : ArrowUp;
  return (
    <button
      type="button"
      onClick={sort.onToggle}
      className="inline-flex min-h-7 items-center gap-1 rounded-sm font-medium hover:text-text"
    >
      {header}
      <Arrow aria-hidden size={14} className={sort.order === undefined ? 'text-faint' : undefined} />
    </button>
  );
}
