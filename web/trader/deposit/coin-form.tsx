import { useState } from 'react'
import type { Coin } from '#contract/terms.ts'
import { takeRow } from '#web/api/index.ts'
import { toast } from '#web/ui/index.ts'
import { AmountStep } from './amount-step.tsx'
import type { Preview } from './coins.ts'
import { PayStep } from './pay-step.tsx'

interface CoinFormProps {
  coin: Coin
  /** The deposit was recorded. */
  onDone: () => void
  /** Called when the second step opens and closes. */
  onPaying?: (isPaying: boolean) => void
}

/** Two steps: the amount, then the address and the upload of the payment proof. */
export function CoinForm({ coin, onDone, onPaying }: CoinFormProps) {
  const [amount, setAmount] = useState('')
  const [preview, setPreview] = useState<Preview>()

  function show(next: Preview | undefined) {
    setPreview(next)
    onPaying?.(next !== undefined)
  }

  if (!preview) {
    return (
      <AmountStep
        coin={coin}
        amount={amount}
        onPreview={(found) => {
          setAmount(found.usdAmount)
          show(found)
        }}
      />
    )
  }
  return (
    <PayStep
      coin={coin}
      preview={preview}
      onBack={() => show(undefined)}
      onRecorded={(message, deposit) => {
        takeRow('GET /deposit', deposit, (one) => one.deposit_id)
        toast.success(message)
        onDone()
      }}
    />
  )
}
