import { useState } from 'react'
import { Choices } from '#web/ui/index.ts'
import { CardForm } from './card-form.tsx'
import { CoinForm } from './coin-form.tsx'
import styles from './deposit.module.css'

/** The first method's modal: Bitcoin from a wallet, or a card. */
export function CardOrBitcoin({ onDone }: { onDone: () => void }) {
  const [way, setWay] = useState<'card' | 'bitcoin'>('bitcoin')
  const [isPaying, setPaying] = useState(false)
  return (
    <div className={styles.ways}>
      {!isPaying && (
        <Choices
          label="Pay with"
          value={way}
          onChange={setWay}
          options={[
            { value: 'bitcoin', label: 'Bitcoin wallet' },
            { value: 'card', label: 'Card' },
          ]}
        />
      )}
      {way === 'card' ? <CardForm /> : <CoinForm coin="BTC" onDone={onDone} onPaying={setPaying} />}
    </div>
  )
}
