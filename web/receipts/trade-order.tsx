import { useQuery } from '@tanstack/react-query'
import { problemOf, queryOf } from '#web/api/index.ts'
import { formatDate, formatExactTime, formatPrice, Stack, waitingWords } from '#web/ui/index.ts'

/** What the waiting order that placed a trade waited for, and the tick that triggered it. */
export function TradeOrder({ id, isOpen }: { id: string; isOpen: boolean }) {
  const read = useQuery({ ...queryOf('GET /waiting-orders/:id', { params: { id } }), enabled: isOpen })
  const problem = problemOf(read)
  if (problem) return problem.message
  if (!read.data) return 'Loading…'
  const order = read.data.data
  const { triggered, trade_mode, created_at } = order
  return (
    <Stack>
      <span>{`${trade_mode} ${waitingWords(order)}`}</span>
      <span>Set {timeOf(created_at)}</span>
      {triggered && <span>Triggered by {formatPrice(triggered.price)}</span>}
      {triggered && <span>{timeOf(triggered.at)}</span>}
    </Stack>
  )
}

const timeOf = (time: string) => `${formatDate(time)} ${formatExactTime(time)}`
