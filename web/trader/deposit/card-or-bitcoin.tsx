import { useState } from 'react'
import { Alert, Choices } from '#web/ui/index.ts'
import { CardForm } from './card-form.tsx'
import { CoinForm, type CoinFormProps } from './coin-form.tsx'
import styles from './deposit.module.css'
import { useMethods } from './use-methods.ts'

/**
 * The first method's modal: Bitcoin from a wallet, or a card. A method that isn't set up says so before an amount is
 * typed.
 */
export function CardOrBitcoin(props: CoinFormProps) {
  const [way, setWay] = useState<'card' | 'bitcoin'>('bitcoin')
  const methods = useMethods()
  const isMissing = !props.request && methods && !(way === 'card' ? methods.card : methods.BTC)
  return (
    <div className={styles.ways}>
      {!props.request && (
        <Choices
          label="Pay with"
          value={way}
          onChange={setWay}
          options={[
            { value: 'bitcoin', label: methods?.BTC === false ? 'Bitcoin (not available)' : 'Bitcoin wallet' },
            { value: 'card', label: methods?.card === false ? 'Card (not available)' : 'Card' },
          ]}
        />
      )}
      {isMissing ? (
        <Alert kind="warning">
          {way === 'card' ? "Card deposits aren't available." : "Bitcoin deposits aren't available."} Choose another
          deposit method.
        </Alert>
      ) : way === 'card' ? (
        <CardForm />
      ) : (
        <CoinForm coin="BTC" {...props} />
      )}
    </div>
  )
}
