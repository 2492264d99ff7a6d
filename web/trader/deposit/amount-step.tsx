import { keepPreviousData, useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import type { DepositRequest } from '#contract/money/cashier.ts'
import { type Coin, RATE_MINUTES } from '#contract/terms.ts'
import { call, messageOf, queryOf, useDebounced } from '#web/api/index.ts'
import {
  Alert,
  Button,
  DEPOSIT_MIN_USD,
  Field,
  formatCoin,
  formatPrice,
  formatTime,
  SourceBadge,
  typedUsd,
  useRules,
} from '#web/ui/index.ts'
import { COIN_NAMES } from './coins.ts'
import styles from './deposit.module.css'
import { EmailFirst } from './email-first.tsx'
import { useDepositRequest } from './use-deposit-request.ts'
import { readOpenRequests } from './use-open-requests.ts'

const PAUSE_MS = 300
/** The price keeps moving while the trader decides. */
const READ_AGAIN_MS = 10_000

const amountRule = typedUsd(DEPOSIT_MIN_USD)
const Rules = z.object({ amount: amountRule })

interface AmountStepProps {
  coin: Coin
  amount: string
  onPreview: (request: DepositRequest) => void
}

/** The amount in US dollars, with its current value in coins. */
export function AmountStep({ coin, amount, onPreview }: AmountStepProps) {
  const { field, submit, watch, refuse } = useRules(Rules, { amount })
  const { loading, error, run } = useDepositRequest(refuse)

  const preview = submit((values) =>
    run(async () => {
      const body = { usd_amount: Number(values.amount), currency: coin }
      const { data } = await call('POST /deposit/requests', { body })
      await readOpenRequests()
      onPreview(data)
    }),
  )

  return (
    <form className={styles.form} noValidate onSubmit={preview}>
      <EmailFirst />
      <Alert>{error}</Alert>
      <Field
        label="Amount"
        unit="$"
        inputMode="decimal"
        autoComplete="off"
        placeholder="0.00"
        hint="In US dollars."
        autoFocus
        {...field('amount')}
      />
      <Conversion coin={coin} typed={watch('amount')} />
      <Button type="submit" size="large" wide loading={loading}>
        Preview
      </Button>
      <p className={styles.note}>
        Preview saves the request and holds the rate for {RATE_MINUTES} minutes. Nothing is charged.
      </p>
    </form>
  )
}

function Conversion({ coin, typed }: { coin: Coin; typed: string }) {
  const now = amountRule.safeParse(typed).data ?? ''
  const amount = useDebounced(now, PAUSE_MS)
  const isAmount = amount !== ''
  const { data, error, isFetching } = useQuery({
    ...queryOf('GET /deposit/convert', { query: { currency: coin, amount } }),
    enabled: isAmount,
    placeholderData: keepPreviousData,
    refetchInterval: READ_AGAIN_MS,
    retry: false,
  })
  const source = useQuery(queryOf('GET /prices/instruments')).data?.source
  const isOld = isFetching || amount !== now
  return (
    <div className={styles.conversion} aria-live="polite">
      <span className={styles.label}>About, in {COIN_NAMES[coin]}</span>
      {isAmount && error ? (
        <span className={styles.unpriced}>{messageOf(error)}</span>
      ) : (
        <output className={styles.coins} data-old={isOld || undefined}>
          {isAmount && data ? formatCoin(data.data, coin) : `– ${coin}`}
        </output>
      )}
      <span className={styles.rate}>
        {isAmount && data && !error ? (
          <>
            {formatPrice(data.rate)} USD per {coin} at {formatTime(data.time)}
          </>
        ) : (
          'Uses the same price as the trading screen.'
        )}
      </span>
      {source !== undefined && source !== 'live' && (
        <span>
          <SourceBadge source={source} />
        </span>
      )}
    </div>
  )
}
