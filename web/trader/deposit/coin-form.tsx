import { useState } from 'react'
import type { DepositRequest } from '#contract/money/cashier.ts'
import type { Coin } from '#contract/terms.ts'
import { takeRow } from '#web/api/index.ts'
import { toast } from '#web/ui/index.ts'
import { AmountStep } from './amount-step.tsx'
import { PayStep } from './pay-step.tsx'
import { readOpenRequests } from './use-open-requests.ts'

export interface CoinFormProps {
  /** The request that is paid; undefined while the amount is typed. */
  request: DepositRequest | undefined
  /** Shows a request that was made, or the amount again. */
  onShow: (request: DepositRequest | undefined) => void
  /** The deposit was recorded. */
  onDone: () => void
}

/** Two steps: the amount, then the address and the upload of the payment proof. */
export function CoinForm({ coin, request, onShow, onDone }: CoinFormProps & { coin: Coin }) {
  const [amount, setAmount] = useState('')
  if (!request) {
    return (
      <AmountStep
        coin={coin}
        amount={amount}
        onPreview={(made) => {
          setAmount(String(made.usd_amount))
          onShow(made)
        }}
      />
    )
  }
  return (
    <PayStep
      key={request.request_id}
      request={request}
      onBack={() => {
        setAmount(String(request.usd_amount))
        onShow(undefined)
      }}
      onRecorded={(message, deposit) => {
        takeRow('GET /deposit', deposit, (one) => one.deposit_id)
        void readOpenRequests()
        toast.success(message)
        onDone()
      }}
    />
  )
}
