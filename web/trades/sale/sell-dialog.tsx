import { useState } from 'react'
import { call, pressTime, type Trade, takeTrade, useKey, useRequest } from '#web/api/index.ts'
import { Alert, Button, Choices, Fact, Facts, formatUsd, Modal, QuestionButtons, useLast } from '#web/ui/index.ts'
import { minimumOf } from './sale-quote.ts'
import styles from './sell-dialog.module.css'
import { useSaleQuote } from './use-sale-quote.ts'

const SLIPPAGES = [1, 3, 10] as const
type Slippage = (typeof SLIPPAGES)[number]
/** The server accepts no order to sell that is older. */
const FINAL_AFTER_MS = 2_500

interface SellDialogProps {
  trade: Trade
  open: boolean
  onClose: () => void
}

/** Asks before a trade is sold: what it brings, how much less the trader would take, and the fee. */
export default function SellDialog({ trade, open, onClose }: SellDialogProps) {
  const [slippage, setSlippage] = useState<Slippage>(3)
  const quote = useSaleQuote(trade)
  const fee = useLast('fee' in quote ? quote.fee : undefined)
  const minimum = 'value' in quote ? minimumOf(quote.value, slippage) : undefined
  const { sell, loading, error } = useSale(trade, onClose)

  return (
    <Modal open={open} onClose={onClose} title={`Sell your ${trade.side} of ${trade.symbol} now?`} sheet>
      <Facts>
        <Fact name="Worth now, after the fee">
          <strong className="tabular">{'value' in quote ? formatUsd(quote.value / 100) : quote.reason}</strong>
        </Fact>
        <Fact name="You get at least">{minimum === undefined ? '–' : formatUsd(minimum / 100)}</Fact>
        <Fact name="Fee (4% of the payout)">{fee === undefined ? '–' : formatUsd(fee / 100)}</Fact>
        <Fact name="You staked">{formatUsd(trade.stake)}</Fact>
      </Facts>
      <div className={styles.least}>
        <Choices
          label="Accept up to this much less"
          value={slippage}
          onChange={setSlippage}
          options={SLIPPAGES.map((value) => ({ value, label: `${value}%` }))}
        />
        <p className={styles.note}>
          The next price decides: you get what the trade is then worth. If that's below your minimum, it isn't sold and
          keeps running.
        </p>
      </div>
      {error && <Alert kind="error">{error}</Alert>}
      <QuestionButtons>
        <Button look="secondary" size="large" onClick={onClose}>
          Keep it
        </Button>
        <Button
          look={trade.mode === 'real' ? 'live' : 'primary'}
          size="large"
          loading={loading}
          disabled={!minimum}
          onClick={() => sell(minimum)}
        >
          {trade.mode === 'real' ? 'Sell, real money' : 'Sell now'}
        </Button>
      </QuestionButtons>
    </Modal>
  )
}

/** Sends the order to sell a trade for at least `minimum` cents, and shows it on the trade. */
function useSale(trade: Trade, onSent: () => void) {
  const key = useKey()
  const { loading, error, run } = useRequest()
  function sell(minimum: number | undefined): void {
    if (minimum === undefined) return
    const pressed_at = pressTime()
    const body = { minimum: minimum / 100 }
    void run(async () => {
      const { data } = await call('POST /trading/:trade_id/sell', {
        params: { trade_id: trade.trade_id },
        body: pressed_at === undefined ? body : { ...body, pressed_at },
        key: key([trade.trade_id, body, trade.sale?.at]),
        finalAfterMs: FINAL_AFTER_MS,
      })
      takeTrade({ ...trade, sale: { at: data.at, minimum: data.minimum } })
      onSent()
    })
  }
  return { sell, loading, error }
}
