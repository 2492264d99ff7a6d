import type { InfiniteData } from '@tanstack/react-query'
import type { UserMessage } from '#contract/messages/push.ts'
import { queryClient } from '../requests/query.ts'
import type { ListName, Row } from '../requests/use-pages.ts'

type Pages<T> = InfiniteData<{ data: T[] }>

/** Returns the pages with this row: updated in place if it's known, else added at the top of the first page. */
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

/** Writes a row from a response or message into the list, if the list has been loaded. */
export function takeRow<K extends ListName>(name: K, row: Row<K>, idOf: (row: Row<K>) => string): void {
  queryClient.setQueriesData<Pages<Row<K>>>({ queryKey: [name, 'pages'] }, (pages) =>
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
