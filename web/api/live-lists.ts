import type { InfiniteData } from '@tanstack/react-query'
import type { UserMessage } from '#contract/push.ts'
import { queryClient } from './query.ts'
import type { ListName, Row } from './use-pages.ts'

type Pages<T> = InfiniteData<{ data: T[] }>

/** The pages with this row: in its place where it is known, else on top of the first. */
export function withRow<T>(pages: Pages<T>, row: T, idOf: (row: T) => string): Pages<T> {
  const id = idOf(row)
  const isKnown = pages.pages.some((page) => page.data.some((one) => idOf(one) === id))
  return {
    ...pages,
    pages: pages.pages.map((page, index) => ({
      ...page,
      data: isKnown
        ? page.data.map((one) => (idOf(one) === id ? row : one))
        : index === 0
          ? [row, ...page.data]
          : page.data,
    })),
  }
}

/** Writes what an answer or a message said of one row into the list, where that was read. */
export function takeRow<K extends ListName>(name: K, row: Row<K>, idOf: (row: Row<K>) => string): void {
  queryClient.setQueriesData<Pages<Row<K>>>({ queryKey: [name, 'pages'] }, (pages) =>
    pages ? withRow(pages, row, idOf) : pages,
  )
  // An answer that is under way may be older than this row: it is asked for once more.
  if (queryClient.isFetching({ queryKey: [name] }) > 0) void queryClient.invalidateQueries({ queryKey: [name] })
}

/** Keeps the lists of money up to date with what the stream says. */
export function takeMoneyMessage(message: UserMessage): void {
  if (message.op === 'deposit') takeRow('GET /deposit', message.data, (deposit) => deposit.deposit_id)
  if (message.op === 'withdraw') takeRow('GET /withdraw', message.data, (withdraw) => withdraw.withdraw_id)
}
