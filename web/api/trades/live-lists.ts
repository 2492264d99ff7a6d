import type { InfiniteData } from '@tanstack/react-query'
import type { UserMessage } from '#contract/messages/push.ts'
import { queryClient } from '../requests/query.ts'
import type { Row } from '../requests/use-pages.ts'

type Pages<T> = InfiniteData<{ data: T[] }>

/**
 * Returns the pages, newest first, with this row: updated in place if it's known, else added at the place of its time. A row
 * older than all that are loaded is left out: it comes with its page.
 */
export function withRow<T extends { createdAt: string }>(pages: Pages<T>, row: T, idOf: (row: T) => string): Pages<T> {
  const id = idOf(row)
  const isKnown = pages.pages.some((page) => page.data.some((one) => idOf(one) === id))
  const rows = pages.pages.flatMap((page) => page.data)
  const below = rows.find((one) => Date.parse(one.createdAt) <= Date.parse(row.createdAt))
  const place = (data: T[]): T[] => {
    if (isKnown) return data.map((one) => (idOf(one) === id ? row : one))
    if (rows.length === 0) return [row]
    return data.flatMap((one) => (one === below ? [row, one] : [one]))
  }
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, data: place(page.data) })) }
}

/** The lists of money that the stream reports. */
type MoneyList = 'GET /deposit' | 'GET /withdraw'

/** Writes a row from a response or message into the list, if the list has been loaded. */
export function takeRow<K extends MoneyList, T extends Row<K> & { createdAt: string }>(
  name: K,
  row: T,
  idOf: (row: T) => string,
): void {
  queryClient.setQueriesData<Pages<T>>({ queryKey: [name, 'pages'] }, (pages) =>
    pages ? withRow(pages, row, idOf) : pages,
  )
  // A response in flight may be older than this row, so load the list once more.
  if (queryClient.isFetching({ queryKey: [name] }) > 0) void queryClient.invalidateQueries({ queryKey: [name] })
}

/** Applies messages of the stream to the deposit and withdrawal lists. */
export function takeMoneyMessage(message: UserMessage): void {
  if (message.op === 'deposit') {
    takeRow('GET /deposit', message.data, (deposit) => deposit.deposit_id)
    void queryClient.invalidateQueries({ queryKey: ['GET /deposit/requests'] })
  }
  if (message.op === 'withdraw') takeRow('GET /withdraw', message.data, (withdraw) => withdraw.withdraw_id)
}
