import type { AddressBook } from '#contract/money/address-book.ts'
import { queryClient, queryOf } from '#web/api/index.ts'

export const BOOK = queryOf('GET /withdraw/addresses')

/** Shows a book that a call returned, or reads it again. */
export const takeBook = (book?: AddressBook): void => {
  if (book) queryClient.setQueryData(BOOK.queryKey, { status: true, data: book })
  else void queryClient.invalidateQueries({ queryKey: BOOK.queryKey })
}
