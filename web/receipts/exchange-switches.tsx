import { useQuery } from '@tanstack/react-query'
import { queryOf, type Trade } from '#web/api/index.ts'
import { formatDateTime } from '#web/ui/index.ts'
import styles from './receipt-section.module.css'

/** What operators changed about how the symbol's price is made while the trade ran; nothing if there was nothing. */
export function ExchangeSwitches({ trade, isOpen }: { trade: Trade; isOpen: boolean }) {
  const { symbol, trade_time, end_time } = trade
  const { data } = useQuery({
    ...queryOf('GET /prices/switches', { query: { symbol, from: trade_time, to: end_time } }),
    enabled: isOpen,
  })
  const switches = data?.data ?? []
  const changes = data?.terms_changed ?? []
  if (switches.length + changes.length === 0) return null
  return (
    <div className={styles.words}>
      {switches.toReversed().map(({ exchange, name, out, from }) => (
        <p key={`${exchange} ${from}`}>
          Operators {out ? `took ${name} out of` : `put ${name} back into`} this price at{' '}
          {formatDateTime(Date.parse(from))}, while the trade ran.
        </p>
      ))}
      {changes.toReversed().map((from) => (
        <p key={from}>
          Operators changed how this price is made at {formatDateTime(Date.parse(from))}, while the trade ran: which
          exchanges, how many, or how far apart they may be.
        </p>
      ))}
      <p className={styles.note}>
        While real trades are open, that takes two operators, and waits for those that end within five minutes.{' '}
        <a href="/prices#switches">All switches</a>
      </p>
    </div>
  )
}
