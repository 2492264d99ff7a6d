import { useState } from 'react'
import { Alert, Choices } from '#web/ui/index.ts'
import { CardForm } from './card-form.tsx'
import { CoinForm, type CoinFormProps } from './coin-form.tsx'
import styles from './deposit.module.css'
import { useMethods } from './use-methods.ts'

/** The first method's modal: Bitcoin from a wallet, or a card. A way that isn't set up isn't offered. */
export function CardOrBitcoin(props: CoinFormProps) {
  const [chosen, setWay] = useState<'card' | 'bitcoin'>('bitcoin')
  const methods = useMethods()
  if (methods?.card === false && !methods.BTC && !props.request)
    return <Alert kind="warning">Bitcoin deposits aren't available. Choose another deposit method.</Alert>
  const way = methods?.card === false ? 'bitcoin' : methods?.BTC === false ? 'card' : chosen
  return (
    <div className={styles.ways}>
      {!props.request && methods?.card && methods.BTC && (
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
      {way === 'card' && !props.request ? <CardForm /> : <CoinForm coin="BTC" {...props} />}
    </div>
  )
}
