import { useState } from 'react'
import * as z from 'zod/mini'
import type { DeskDeposit } from '#contract/desk/money/deposits.ts'
import { LENGTH, text } from '#contract/fields.ts'
import { TEST_ADDRESS } from '#contract/terms.ts'
import { newKey } from '#web/client/index.ts'
import {
  Alert,
  Button,
  CopyText,
  Fact,
  Facts,
  Field,
  formatCoin,
  formatDateTime,
  formatPrice,
  formatUsd,
  plainCoins,
  useRules,
} from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import styles from '../../users/user-page.module.css'
import { typedCoins } from './typed-coins.ts'

const Rules = z.object({
  transaction: text(LENGTH.bank),
  coins: typedCoins,
  arrived: text(32),
})

/** What arrived, as read from the blockchain, and its value. Without it nobody knows which rate counts. */
export function DepositArrival({ deposit, may }: { deposit: DeskDeposit; may: boolean }) {
  const { arrival, currency, status, approvals } = deposit
  if (currency === null) return null
  return (
    <>
      {arrival && (
        <Facts>
          <Fact name="Arrived">
            {formatCoin(arrival.coin_amount, currency)}, {formatDateTime(arrival.time)}
          </Fact>
          <Fact name="Transaction">
            <CopyText text={arrival.transaction_id} what="transaction" />
          </Fact>
          <Fact name="Rate then">
            {formatPrice(arrival.rate)} USD{arrival.rate === deposit.rate ? ', of the request' : ', of the tape'}
          </Fact>
          <Fact name="Worth">{formatUsd(arrival.amount)}</Fact>
          <Fact name="Read by">
            {arrival.by.email}, {formatDateTime(arrival.at)}
          </Fact>
        </Facts>
      )}
      {may && status === 'Pending' && approvals === 0 && !deposit.own && <ArrivalForm deposit={deposit} />}
    </>
  )
}

/** A made-up arrival of what was asked for, at an address that no wallet accepts. */
const testArrival = ({ currency, coin_amount }: DeskDeposit) => ({
  transaction: `${currency === 'ETH' ? '0x' : ''}${newKey().replaceAll('-', '').repeat(2)}`,
  coins: coin_amount === null ? '' : plainCoins(coin_amount),
  arrived: localTime(new Date()),
})

/** Formats a time as the field reads it: in the local time zone, to the second. */
const localTime = (at: Date) =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, '2026-01-01T00:00:00'.length)

function ArrivalForm({ deposit }: { deposit: DeskDeposit }) {
  const { id, arrival, address } = deposit
  const [open, setOpen] = useState(false)
  const { field, submit, reset } = useRules(Rules, { transaction: '', coins: '', arrived: '' })
  const { loading, error, act } = useAction()
  if (!open) {
    return (
      <div className={styles.links}>
        <Button look={arrival ? 'secondary' : 'primary'} size="small" onClick={() => setOpen(true)}>
          {arrival ? 'Correct what arrived' : 'Enter what arrived'}
        </Button>
        {!arrival && <span>Look it up on the blockchain. Then you can approve the deposit.</span>}
      </div>
    )
  }
  const record = submit(async ({ transaction, coins, arrived }) => {
    const done = await act(async () => {
      const arrived_at = new Date(arrived).toISOString()
      const body = { transaction_id: transaction, coin_amount: coins, arrived_at }
      const { data } = await call('POST /desk/deposits/:id/arrival', { params: { id }, body })
      return `Worth ${formatUsd(data.arrival?.amount ?? 0)} when it arrived.`
    })
    if (!done) return
    reset()
    setOpen(false)
  })
  return (
    <form className={styles.form} noValidate onSubmit={record}>
      <Alert>{error}</Alert>
      <Field
        label="Transaction ID"
        hint="From the wallet or a block explorer."
        autoComplete="off"
        {...field('transaction')}
      />
      <Field label="Coins received" inputMode="decimal" autoComplete="off" {...field('coins')} />
      <Field label="Arrived at" hint="In your time zone." type="datetime-local" step={1} {...field('arrived')} />
      <div className={styles.links}>
        <Button type="submit" loading={loading}>
          Look up its value
        </Button>
        <Button look="quiet" onClick={() => setOpen(false)}>
          Cancel
        </Button>
        {address?.startsWith(TEST_ADDRESS) && (
          <Button look="quiet" onClick={() => reset(testArrival(deposit))}>
            Fill in a test arrival
          </Button>
        )}
      </div>
    </form>
  )
}
