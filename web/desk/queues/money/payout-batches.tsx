import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { BATCH_MAX, type DeskPayoutBatch, type DeskPayouts } from '#contract/desk/money/payout-batches.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { RATE_MINUTES } from '#contract/terms.ts'
import { messageOf, problemOf } from '#web/client/index.ts'
import {
  Alert,
  Badge,
  Button,
  Card,
  CopyText,
  formatCoin,
  formatDateTime,
  formatUsd,
  ListError,
  Page,
  plainCoins,
  SkeletonRows,
  saveFile,
  Textarea,
  toast,
} from '#web/ui/index.ts'
import { OFTEN_MS, queryOf, readFile, send } from '../../api.ts'
import { DeskTitle } from '../../parts/desk-title.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useNow } from '../../parts/use-now.ts'
import { FiguresTable } from '../../risk/figures-table.tsx'
import { useMay } from '../../session.ts'
import styles from './payout-batches.module.css'
import { typedPayments } from './typed-payments.ts'

/** Coin withdrawals that are paid together, from one file for a wallet. */
export default function PayoutBatches() {
  const payouts = useQuery(queryOf('GET /desk/payout-batches', undefined, OFTEN_MS))
  const may = useMay(PAGES.payouts.acts)
  const problem = problemOf(payouts)
  const data = payouts.data?.data
  return (
    <Page
      title="Payout batches"
      intro="Pay many approved withdrawals from one file for your wallet, then mark them as paid by their transactions."
    >
      <DeskTitle>Payout batches</DeskTitle>
      {problem && <ListError {...problem} />}
      {payouts.isPending && !problem && <SkeletonRows rows={4} label="Loading the batches" />}
      {data && (
        <>
          <div className={styles.ready}>
            {data.ready.map((ready) => (
              <ReadyCard key={ready.currency} {...ready} may={may} />
            ))}
          </div>
          {data.batches.map((batch) => (
            <Batch key={batch.id} batch={batch} may={may} />
          ))}
          {data.batches.length === 0 && (
            <p className={styles.more}>Batches appear here. Single withdrawals are paid in their queue.</p>
          )}
        </>
      )}
    </Page>
  )
}

/** What a new batch would pay. */
function ReadyCard({ currency, withdrawals, amount, may }: DeskPayouts['ready'][number] & { may: boolean }) {
  const { loading, error, act } = useAction()
  const create = () =>
    act(async () => {
      const { data } = await send('POST /desk/payout-batches', { body: { currency } })
      return `${countOf(data.withdrawals)} in a batch: ${formatCoin(data.coin_amount, currency)}.`
    })
  return (
    <Card title={currency} className={styles.card}>
      {withdrawals === 0 ? (
        <p className={styles.more}>Nothing to pay in a batch now.</p>
      ) : (
        <p>
          <strong>{countOf(withdrawals)}</strong> approved, {formatUsd(amount)}
        </p>
      )}
      <Alert>{error}</Alert>
      {may && withdrawals > 0 && (
        <p>
          <Button loading={loading} onClick={() => void create()}>
            Create a batch{withdrawals > BATCH_MAX ? ` of the oldest ${BATCH_MAX}` : ''}
          </Button>
        </p>
      )}
    </Card>
  )
}

const countOf = (withdrawals: number) => (withdrawals === 1 ? '1 withdrawal' : `${withdrawals} withdrawals`)

/** One batch: its file, its payments, and what it pays. */
function Batch({ batch, may }: { batch: DeskPayoutBatch; may: boolean }) {
  const { id, currency, created_by, created_at, unpaid, withdrawals, amount, coin_amount } = batch
  const isOpen = unpaid > 0
  const name = `${currency} batch of ${formatDateTime(created_at)}`
  const state = isOpen ? `${unpaid} of ${withdrawals} to be paid` : withdrawals === 0 ? 'Taken out' : 'Paid'
  return (
    <Card title={name} className={styles.card}>
      <p className={styles.state}>
        <Badge tone={isOpen ? 'warn' : withdrawals === 0 ? 'neutral' : 'up'}>{state}</Badge>
        <span>
          {formatCoin(coin_amount, currency)}, {formatUsd(amount)}
        </span>
        <span className={styles.more}>
          {id}, created by {created_by.email}
        </span>
      </p>
      {isOpen && <RateNote batch={batch} />}
      {isOpen && may && <BatchActions batch={batch} />}
      <details open={isOpen}>
        <summary>{countOf(batch.items.length)}</summary>
        <Items batch={batch} may={may} name={name} />
      </details>
    </Card>
  )
}

/** Says when the rates of a batch are over: what wasn't sent by then should get new ones. */
function RateNote({ batch: { items } }: { batch: DeskPayoutBatch }) {
  const now = useNow(30_000)
  const oldest = Math.min(...items.filter(({ status }) => status === 'Unpaid').map((one) => Date.parse(one.rate_time)))
  const until = oldest + RATE_MINUTES * 60_000
  return (
    <p className={styles.more}>
      {now < until
        ? `Send it by ${formatDateTime(until)}: the rates count until then.`
        : `The rates are over since ${formatDateTime(until)}. If you haven't sent it, take all out and create a new batch.`}
    </p>
  )
}

function BatchActions({ batch }: { batch: DeskPayoutBatch }) {
  const { id, currency, items } = batch
  const unpaid = items.filter(({ status }) => status === 'Unpaid').map((one) => one.id)
  const [typed, setTyped] = useState('')
  const [refused, setRefused] = useState<string>()
  const { loading, error, act } = useAction()

  async function submit(event: FormEvent) {
    event.preventDefault()
    const payments = typedPayments(typed, unpaid)
    setRefused(typeof payments === 'string' ? payments : undefined)
    if (typeof payments === 'string') return
    const done = await act(async () => {
      const { data } = await send('POST /desk/payout-batches/:id/paid', { params: { id }, body: { payments } })
      return data.unpaid === 0 ? 'The batch is paid.' : `Marked as paid. ${countOf(data.unpaid)} left.`
    })
    if (done) setTyped('')
  }
  const download = async () => {
    try {
      saveFile(await readFile(`/desk/payout-batches/${id}/file`), `payout-${currency}-${id}.csv`)
    } catch (thrown) {
      toast.error(messageOf(thrown))
    }
  }

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <Button look="secondary" onClick={() => void download()}>
        Download the file
      </Button>
      <Textarea
        label="Transaction ID"
        hint={`One ID for all unpaid withdrawals, or a line for each: its reference, a comma and the ID of the ${currency} transaction.`}
        rows={2}
        value={typed}
        error={refused}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Alert>{error}</Alert>
      <div className={styles.state}>
        <Button type="submit" loading={loading} disabled={typed.trim() === ''}>
          Mark as paid
        </Button>
        <TakeOut batchId={id} ids={unpaid} label="Take all out" />
      </div>
    </form>
  )
}

function TakeOut({ batchId, ids, label, of }: { batchId: string; ids: string[]; label: string; of?: string }) {
  const [asks, setAsks] = useState(false)
  const { loading, error, act } = useAction()
  const run = () =>
    act(async () => {
      const input = { params: { id: batchId }, body: { withdrawals: ids } }
      await send('POST /desk/payout-batches/:id/take-out', input)
      return `${countOf(ids.length)} taken out.`
    })
  if (!asks)
    return (
      <Button
        look="quiet"
        size="small"
        {...(of ? { 'aria-label': `${label} ${of}` } : {})}
        onClick={() => setAsks(true)}
      >
        {label}
      </Button>
    )
  return (
    <span className={styles.state}>
      <Alert>{error}</Alert>
      <Button look="danger" size="small" loading={loading} onClick={() => void run()}>
        Not sent: take out
      </Button>
      <Button look="quiet" size="small" onClick={() => setAsks(false)}>
        Keep
      </Button>
    </span>
  )
}

const TONES = { Unpaid: 'warn', Paid: 'up', 'Taken out': 'neutral' } as const

function Items({ batch, may, name }: { batch: DeskPayoutBatch; may: boolean; name: string }) {
  return (
    <FiguresTable label={`Withdrawals of the ${name}`}>
      <thead>
        <tr>
          <th scope="col">Reference</th>
          <th scope="col">{batch.currency}</th>
          <th scope="col">USD</th>
          <th scope="col" data-text>
            Status
          </th>
          <th scope="col" data-text>
            Address
          </th>
          <th scope="col" data-text>
            Trader
          </th>
        </tr>
      </thead>
      <tbody>
        {batch.items.map((item) => (
          <tr key={item.id}>
            <th scope="row">
              <Link to={`/withdrawals/${item.id}`}>{item.id}</Link>
            </th>
            <td>{plainCoins(item.coin_amount)}</td>
            <td>{formatUsd(item.amount)}</td>
            <td data-text>
              <Badge tone={TONES[item.status]}>{item.status}</Badge>{' '}
              {item.transaction_id !== undefined && (
                <CopyText text={item.transaction_id} what={`transaction of ${item.id}`} />
              )}
              {may && item.status === 'Unpaid' && (
                <TakeOut batchId={batch.id} ids={[item.id]} label="Take out" of={item.id} />
              )}
            </td>
            <td data-text>
              <CopyText text={item.wallet} what={`address of ${item.id}`} />
            </td>
            <td data-text>{item.email}</td>
          </tr>
        ))}
      </tbody>
    </FiguresTable>
  )
}
