import { useQuery } from '@tanstack/react-query'
import { problemOf, queryOf } from '#web/api/index.ts'
import { formatDate, formatExactTime, formatPrice, waitingWords } from '#web/ui/index.ts'

/** What the waiting order that placed a trade waited for, and the tick that triggered it. */
export function TradeOrder({ id }: { id: string }) {
  const read = useQuery(queryOf('GET /waiting-orders/:id', { params: { id } }))
  const problem = problemOf(read)
  if (problem) return problem.message
  if (!read.data) return 'Loading…'
  const order = read.data.data
  const { triggered, trade_mode, created_at } = order
  return (
    <>
      {`${trade_mode} ${waitingWords(order)}, placed ${timeOf(created_at)}`}
      {triggered && `; triggered by ${formatPrice(triggered.price)} at ${timeOf(triggered.at)}`}
    </>
  )
}

const timeOf = (time: string) => `${formatDate(time)} ${formatExactTime(time)}`
