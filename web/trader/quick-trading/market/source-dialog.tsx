import { useQuery } from '@tanstack/react-query'
import type { Instrument, PriceSource } from '#contract/prices/prices.ts'
import { STANDING_WORDS } from '#contract/terms.ts'
import { queryOf } from '#web/api/index.ts'
import { formatPrice, Modal } from '#web/ui/index.ts'
import styles from './source-dialog.module.css'

const EXPLAINED: Record<PriceSource, string> = {
  live: 'Each price is the median of what several exchanges say at that moment.',
  replay: 'Prices are recorded market data, replayed at the original pace.',
  simulation: 'Prices come from a random walk with a secret seed. Nobody can know the next one.',
}

interface SourceDialogProps {
  open: boolean
  onClose: () => void
  source: PriceSource
  instrument: Instrument | undefined
  note: string | undefined
}

/** Explains where prices come from. */
export default function SourceDialog({ open, onClose, source, instrument, note }: SourceDialogProps) {
  return (
    <Modal open={open} onClose={onClose} title="Where prices come from">
      <p>{EXPLAINED[source]}</p>
      {note !== undefined && <p>{note}</p>}
      {source === 'live' && instrument && <Sources symbol={instrument.symbol} />}
      <p>
        A trade settles on the kind of prices it was opened on. If that changes before the trade ends, the trade is void
        and the stake is returned.
      </p>
      <p>
        <a href={`/prices${instrument ? `?symbol=${instrument.symbol}` : ''}`}>How prices are made</a>
      </p>
    </Modal>
  )
}

const READ_MS = 1_000

/** The current quote of each exchange: its bid and ask, or the price of its last trade, and whether it counts. */
function Sources({ symbol }: { symbol: string }) {
  const composition = useQuery({
    ...queryOf('GET /prices/composition', { query: { symbol } }),
    refetchInterval: READ_MS,
  })
  const pairs = composition.data?.data.pairs ?? []
  return (
    <table className={styles.sources} aria-busy={composition.isPending}>
      <thead>
        <tr>
          <th scope="col">Exchange</th>
          <th scope="col">Bid and ask, or last trade</th>
          <th scope="col">Counts</th>
        </tr>
      </thead>
      <tbody>
        {pairs.flatMap(({ pair, members }) =>
          members.map(({ venue, name, price, bid, ask, standing }) => (
            <tr key={`${pair} ${venue}`}>
              <th scope="row">{pairs.length > 1 ? `${name}, ${pair}` : name}</th>
              <td>
                {bid !== undefined && ask !== undefined
                  ? `${formatPrice(bid)} / ${formatPrice(ask)}`
                  : formatPrice(price)}
              </td>
              <td>{STANDING_WORDS[standing]}</td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  )
}
