import { ChevronRight, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import styles from './record-list.module.css'
import { useFit } from './use-fit.ts'

export interface Column<T> {
  head: string
  cell: (row: T, index: number) => ReactNode
  /** `figure` stands at the end of its cell, `name` says which row it is, `quiet` stands back. */
  kind?: 'figure' | 'name' | 'quiet'
}

/** The running number that each list begins with. */
export const serialNumber = { head: 'S/N', cell: (_: unknown, index: number) => index + 1, kind: 'quiet' } as const

export interface RecordListProps<T> {
  /** What the rows are: `deposits`. */
  of: string
  rows: readonly T[]
  keyOf: (row: T) => string
  columns: readonly Column<T>[]
  /** The same in fewer columns, where `columns` don't fit. */
  fewColumns?: readonly Column<T>[]
  /** As cards, for a phone. */
  asCards: boolean
  /** A table that doesn't fit scrolls sideways; without it the rows become cards. */
  scrolls?: boolean
  /** The lines of a card; `CardLine`s. */
  card: (row: T) => ReactNode
  /** Opens a row's details: by a click anywhere on it, and by the button in its last cell. */
  onOpen?: (row: T) => void
  /** What that button is called: `Details of deposit D123`. */
  openLabel?: (row: T) => string
}

/** The rows of something that happened: the roomiest table that fits, else cards; on a phone always cards. */
export function RecordList<T>({ asCards, columns, fewColumns, scrolls = false, ...list }: RecordListProps<T>) {
  const tables = [
    { columns, isAiry: true },
    { columns, isAiry: false },
    ...(fewColumns ? [{ columns: fewColumns, isAiry: false }] : []),
  ]
  const { box, layout } = useFit<HTMLDivElement>(tables.length + 1)
  const table = asCards ? undefined : tables[scrolls ? Math.min(layout, tables.length - 1) : layout]
  return (
    <div ref={box} className={styles.fit}>
      {table ? <Table {...list} {...table} scrolls={scrolls} /> : <Cards {...list} />}
    </div>
  )
}

type Parts<T> = Omit<RecordListProps<T>, 'asCards' | 'columns' | 'fewColumns' | 'scrolls'>
type TableParts<T> = Parts<T> & { columns: readonly Column<T>[]; isAiry: boolean; scrolls: boolean }

function Table<T>({ of, rows, keyOf, columns, isAiry, scrolls, onOpen, openLabel }: TableParts<T>) {
  return (
    // A region that scrolls must be reached by the keyboard.
    <section
      className={cx(styles.frame, scrolls && styles.scrolls)}
      {...(scrolls ? { tabIndex: 0 } : {})}
      aria-label={`Table of ${of}`}
    >
      <table className={cx(styles.table, isAiry && styles.airy)}>
        <thead>
          <tr>
            {columns.map(({ head, kind }) => (
              <th key={head} scope="col" className={kind === 'figure' ? styles.figure : undefined}>
                {head}
              </th>
            ))}
            {onOpen && (
              <th scope="col">
                <span className="visually-hidden">Details</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row)} className={cx(onOpen && styles.opens)} onClick={onOpen && (() => onOpen(row))}>
              {columns.map(({ head, kind, cell }) =>
                kind === 'name' ? (
                  <th key={head} scope="row">
                    {cell(row, index)}
                  </th>
                ) : (
                  <td key={head} className={kind && styles[kind]}>
                    {cell(row, index)}
                  </td>
                ),
              )}
              {onOpen && (
                <td className={styles.last}>
                  <Button
                    look="quiet"
                    size="small"
                    className={styles.open}
                    aria-label={openLabel?.(row)}
                    onClick={(event) => {
                      event.stopPropagation()
                      onOpen(row)
                    }}
                  >
                    <ChevronRight aria-hidden />
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cards<T>({ rows, keyOf, card, onOpen }: Parts<T>) {
  return (
    <ul className={styles.cards}>
      {rows.map((row) => (
        <li key={keyOf(row)}>
          {onOpen ? (
            <button type="button" className={styles.card} onClick={() => onOpen(row)}>
              <span className="visually-hidden">Details of </span>
              {card(row)}
            </button>
          ) : (
            <div className={styles.card}>{card(row)}</div>
          )}
        </li>
      ))}
    </ul>
  )
}

/** One line of a card: what it holds is pushed to both ends. */
export function CardLine({ quiet, children }: { quiet?: boolean; children: ReactNode }) {
  return <span className={cx(styles.line, quiet && styles.quietLine)}>{children}</span>
}

/** Two values of one cell, the second below the first and quieter. */
export function Stack({ children }: { children: ReactNode }) {
  return <span className={styles.stack}>{children}</span>
}

interface ListEndProps {
  count: number
  /** What one row is: `deposit`. */
  of: string
  hasMore: boolean
  loading: boolean
  onMore: () => void
}

/** Below a list: the way to its next page, or that this was all. */
export function ListEnd({ count, of, hasMore, loading, onMore }: ListEndProps) {
  return (
    <div className={styles.end} role="status">
      {hasMore ? (
        <Button look="secondary" loading={loading} onClick={onMore}>
          Load more
        </Button>
      ) : (
        <p>
          {count} {of}
          {count === 1 ? '' : 's'}, all shown
        </p>
      )}
    </div>
  )
}

export interface ListErrorProps {
  message: string
  /** The read is being retried without the reader's help. */
  isRetrying: boolean
  onRetry: () => void
}

/** Says why a list could not be read, and that it is being retried or how to retry it. */
export function ListError(props: ListErrorProps) {
  return (
    <Alert>
      <span className={styles.problem}>
        <span>{props.message}</span> <RetryNote {...props} />
      </span>
    </Alert>
  )
}

/** What follows the message of a failed read: a sign of the next try, or the button for it. */
export function RetryNote({ isRetrying, onRetry }: Omit<ListErrorProps, 'message'>) {
  return isRetrying ? (
    <span className={styles.retrying}>
      <LoaderCircle aria-hidden /> Trying again…
    </span>
  ) : (
    <Button look="secondary" size="small" onClick={onRetry}>
      Try again
    </Button>
  )
}
