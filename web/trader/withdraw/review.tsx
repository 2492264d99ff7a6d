import { ShieldAlert } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { WithdrawalPreview } from '#contract/money/cashier.ts'
import { useMeasuredTimes } from '#web/api/index.ts'
import {
  Alert,
  Button,
  Fact,
  Facts,
  formatCoin,
  formatDay,
  formatPrice,
  formatUsd,
  withdrawalsTook,
} from '#web/ui/index.ts'
import { WithdrawalAddress } from './address.tsx'
import styles from './review.module.css'
import { useRequirements } from './use-requirements.ts'
import form from './withdraw.module.css'

/** What was typed: where the money goes. */
type Destination = { wallet: string } | { bank_name: string; account_number: string; routing_number: string }
/** Returns the form that keeps a destination in the address book. */
export type SaveForm = (known: Destination, onSaved: () => void) => ReactNode

export interface ReviewProps {
  preview: WithdrawalPreview
  loading: boolean
  error: string | undefined
  onBack: () => void
  onConfirm: () => Promise<void>
  saveForm: SaveForm
  /** The account, as it was typed; undefined for a wallet. */
  bank?: { bank_name: string; type: string; account_number: string; routing_number: string } | undefined
}

const COIN_NAMES = { BTC: 'Bitcoin', ETH: 'Ethereum' } as const

/** The second step: all that a withdrawal will do, before the button that requests it. */
export function Review({ preview, loading, error, onBack, onConfirm, saveForm, bank }: ReviewProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Enter, still held from the first step, must not send.
  useEffect(() => heading.current?.focus(), [])
  const { amount, currency, wallet, first_time, saved_as } = preview
  return (
    <div className={form.form}>
      <h3 ref={heading} tabIndex={-1} className={styles.heading}>
        <span className={styles.label}>You withdraw</span>
        <strong className={styles.amount}>{formatUsd(amount)}</strong>
      </h3>
      <div className={styles.to}>
        <p className={styles.toLine}>
          <span className={styles.label}>
            {currency
              ? `To this ${COIN_NAMES[currency]} address`
              : `To this ${bank?.type} account at ${bank?.bank_name}`}
          </span>
          {first_time && (
            <span className={styles.first}>
              <ShieldAlert aria-hidden />
              first time
            </span>
          )}
        </p>
        <WithdrawalAddress address={bank?.account_number.replaceAll(/[ -]/g, '') ?? wallet} />
        {saved_as === null ? (
          <SaveOffer form={(onSaved) => saveForm(bank ?? { wallet }, onSaved)} />
        ) : (
          <p className={form.note}>In your address book: {saved_as}.</p>
        )}
        <p className={form.note}>
          {currency
            ? "Compare the highlighted groups with your wallet. Crypto payments can't be reversed."
            : 'Compare it with your bank statement.'}
        </p>
      </div>
      <ReviewFacts preview={preview} routing={bank?.routing_number} />
      <Alert>{error}</Alert>
      <div className={styles.answers}>
        <Button look="secondary" size="large" disabled={loading} onClick={onBack}>
          Back
        </Button>
        <Button look="live" size="large" loading={loading} onClick={() => void onConfirm()}>
          Withdraw {formatUsd(amount)}
        </Button>
      </div>
    </div>
  )
}

/** Offers to keep a destination for the next withdrawal. */
function SaveOffer({ form: formOf }: { form: (onSaved: () => void) => ReactNode }) {
  const [asks, setAsks] = useState(false)
  const [isSaved, setIsSaved] = useState(false)
  if (isSaved) return <p className={form.note}>Saved in your address book.</p>
  if (asks)
    return (
      <section className={styles.save} aria-label="Save in your address book">
        {formOf(() => setIsSaved(true))}
        <Button look="quiet" onClick={() => setAsks(false)}>
          Don't save it
        </Button>
      </section>
    )
  return (
    <p className={styles.offer}>
      Not in your address book.
      <Button look="secondary" size="small" onClick={() => setAsks(true)}>
        Save it
      </Button>
    </p>
  )
}

function ReviewFacts({ preview, routing }: { preview: WithdrawalPreview; routing: string | undefined }) {
  const { amount, currency, fee, balance_after, due_by, two_people, second_factor } = preview
  const requirements = useRequirements()
  const took = withdrawalsTook(useMeasuredTimes())
  return (
    <Facts>
      {routing !== undefined && <Fact name="Routing number">{routing}</Fact>}
      <Fact name="You receive">{currency ? <Coins {...preview} /> : formatUsd(amount)}</Fact>
      <Fact name={currency ? 'Network fee' : 'Fee'}>{fee === 0 ? 'None: we pay it' : formatUsd(fee)}</Fact>
      <Fact name="Balance after this">{formatUsd(balance_after)}</Fact>
      <Fact name="Paid by">
        {formatDay(due_by)}
        {requirements?.paused_since && <span className={styles.more}>once payouts resume</span>}
        {took && !requirements?.paused_since && <span className={styles.more}>{took}</span>}
      </Fact>
      {two_people && requirements && (
        <Fact name="Approval">Two people, above {formatUsd(requirements.two_person_amount)}</Fact>
      )}
      {second_factor && <Fact name="Second factor">We ask for it next</Fact>}
    </Facts>
  )
}

/** What arrives at today's rate, and which rate counts. */
function Coins({ currency, coin_amount, rate }: WithdrawalPreview) {
  if (currency === null || coin_amount === null || rate === null) return <>Fixed when we pay it, at the rate then</>
  return (
    <>
      about {formatCoin(coin_amount, currency)}
      <span className={styles.more}>rate fixed when paid, now {formatPrice(rate)}</span>
    </>
  )
}
