import { ChevronRight, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { cx } from '../cx.ts'
import { Alert } from '../feedback/alert.tsx'
import { useWidestLayout } from '../hooks/use-widest-layout.ts'
import styles from './record-list.module.css'

export interface Column<T> {
  head: string
  cell: (row: T, index: number) => ReactNode
  /** `figure` is right-aligned, `name` identifies the row, `quiet` is de-emphasised. */
  kind?: 'figure' | 'name' | 'quiet'
}

/** The running number, which is the first column of every list. */
export const serialNumber = { head: 'S/N', cell: (_: unknown, index: number) => index + 1, kind: 'quiet' } as const

export interface RecordListProps<T> {
  /** The plural name of the rows: `deposits`. */
  of: string
  rows: readonly T[]
  keyOf: (row: T) => string
  columns: readonly Column<T>[]
  /** A version with fewer columns, for when `columns` don't fit. */
  fewColumns?: readonly Column<T>[]
  /** Renders cards, for phones. */
  asCards: boolean
  /** Scrolls sideways if the table doesn't fit; otherwise the rows become cards. */
  scrolls?: boolean
  /** The content of a card: a list of `CardLine`s. */
  card: (row: T) => ReactNode
  /** Opens a row's details, on a click anywhere in the row or on the button in its last cell. */
  onOpen?: (row: T) => void
  /** The accessible name of that button: `Details of deposit D123`. */
  openLabel?: (row: T) => string
}

/** A list of records: the widest table that fits, else cards. Always cards on phones. */
export function RecordList<T>({ asCards, columns, fewColumns, scrolls = false, ...list }: RecordListProps<T>) {
  const tables = [
    { columns, isAiry: true },
    { columns, isAiry: false },
    ...(fewColumns ? [{ columns: fewColumns, isAiry: false }] : []),
  ]
  const { box, layout } = useWidestLayout<HTMLDivElement>(tables.length + 1)
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
    // A scrolling region must be reachable by keyboard.
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

/** One line of a card, with its content pushed to both ends. */
export function CardLine({ quiet, children }: { quiet?: boolean; children: ReactNode }) {
  return <span className={cx(styles.line, quiet && styles.quietLine)}>{children}</span>
}

/** Two values in one cell, the second below the first and de-emphasised. */
export function Stack({ children }: { children: ReactNode }) {
  return <span className={styles.stack}>{children}</span>
}

interface ListEndProps {
  count: number
  /** The singular name of a row: `deposit`. */
  of: string
  hasMore: boolean
  loading: boolean
  onMore: () => void
  /** Rows from before this UTC day (YYYY-MM-DD) may be archived. */
  archivedBefore?: string | undefined
}

/** The end of a list: a button for the next page, or a note that there is no more. */
export function ListEnd({ count, of, hasMore, loading, onMore, archivedBefore }: ListEndProps) {
  return (
    <div className={styles.end} role="status">
      {hasMore ? (
        <Button look="secondary" loading={loading} onClick={onMore}>
          Load more
        </Button>
      ) : (
        <p>
          {count} {count === 1 ? of : pluralOf(of)}
          {archivedBefore
            ? ` shown. Older ones, from before ${archivedBefore}, are no longer listed: contact us if you need them.`
            : ', all shown'}
        </p>
      )}
    </div>
  )
}

/** The plural of a regular English noun: `deposits`, `strategies`. */
export const pluralOf = (noun: string): string => `${noun.replace(/([^aeiou])y$/, '$1ie')}s`

export interface ListErrorProps {
  message: string
  /** The read is being retried automatically. */
  isRetrying: boolean
  onRetry: () => void
}

/** Says why a list couldn't be loaded, and that it's being retried or how to retry. */
export function ListError(props: ListErrorProps) {
  return (
    <Alert>
      <span className={styles.problem}>
        <span>{props.message}</span> <RetryNote {...props} />
      </span>
    </Alert>
  )
}

/** Follows the message of a failed read: a retry indicator, or the retry button. */
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
