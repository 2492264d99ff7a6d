import { useQuery } from '@tanstack/react-query'
import { Clock3, Download, ShieldCheck } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { STEPS } from '#packages/verify/verify.js'
import { call, problemOf, queryOf, useIsGuest } from '#web/api/index.ts'
import { Alert, Button, CopyText, Fact, Facts, ListError, saveFile } from '#web/ui/index.ts'
import { type Checked, checkReceipt } from './check.ts'
import { ExchangeSwitches } from './exchange-switches.tsx'
import { type ReceiptProps, ReceiptSkeleton } from './receipt-frame.tsx'
import { ReceiptPicture } from './receipt-picture.tsx'
import styles from './receipt-section.module.css'
import { ShareReceipt } from './share-receipt.tsx'
import { Steps } from './steps.tsx'
import { sentencesOf } from './words.ts'

const AGAIN_MS = 5_000
/** A receipt that takes longer than this is late. */
const LATE_MS = 180_000

/**
 * The receipt: whether it's genuine, a picture, what happened in sentences, and the data to check and download. While the
 * trade is open, only the hash of its order.
 */
export default function ReceiptSection(props: ReceiptProps) {
  const { trade, isOpen, isUnfolded } = props
  return trade.status === 'Pending' ? (
    <OpenOrder tradeId={trade.trade_id} isOpen={isOpen && isUnfolded} />
  ) : (
    <SettledReceipt {...props} />
  )
}

function SettledReceipt({ trade, isOpen, isUnfolded, onChecked }: ReceiptProps) {
  const query = useQuery({
    ...queryOf('GET /trading/:trade_id/receipt', { params: { trade_id: trade.trade_id } }),
    enabled: isOpen,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (isUnfolded && state.data?.data === null ? AGAIN_MS : false),
  })
  const isGuest = useIsGuest()
  const receipt = query.data?.data
  const problem = problemOf(query)
  const check = useCheck(trade.trade_id, receipt, onChecked)
  if (!receipt) {
    if (receipt === null) return <NotReady settledAt={trade.settled_at} />
    return problem ? <ListError {...problem} /> : <ReceiptSkeleton />
  }
  if (check.isPending) return <ReceiptSkeleton />
  const checked = check.isFetching ? undefined : check.data
  return (
    <>
      <Verdict checked={checked} />
      {checked?.ok === false && <Steps steps={checked.steps} titles={STEPS} />}
      {!check.isFetching && <Alert>{check.error?.message}</Alert>}
      <ReceiptPicture receipt={receipt} />
      <div className={styles.words}>
        {sentencesOf(receipt).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
      <ExchangeSwitches trade={trade} isOpen={isOpen && isUnfolded} />
      <div className={styles.buttons}>
        <Button look="secondary" loading={check.isFetching} onClick={() => void check.refetch()}>
          <ShieldCheck aria-hidden />
          Check it now
        </Button>
        <Button
          look="secondary"
          onClick={() =>
            saveFile(
              new Blob([JSON.stringify(receipt)], { type: 'application/json' }),
              `receipt-${receipt.trade.id}.json`,
            )
          }
        >
          <Download aria-hidden />
          Download receipt
        </Button>
      </div>
      {!isGuest && <ShareReceipt tradeId={trade.trade_id} />}
      {checked?.ok && <Steps steps={checked.steps} titles={STEPS} />}
      {receipt.version !== 1 && <OrderHash hash={receipt.trade.order} />}
      <p className={styles.note}>
        Anyone can check the file without an account, at <a href="/verify">Check a receipt</a> or offline.
      </p>
    </>
  )
}

/** Checks a receipt as soon as it's there, and again when asked. */
function useCheck(tradeId: string, receipt: object | null | undefined, onChecked: ReceiptProps['onChecked']) {
  const check = useQuery({
    queryKey: ['checked receipt', tradeId],
    queryFn: async () => {
      // If the keys can't be loaded, the check names the ones that signed the receipt.
      const keys = await call('GET /proof/keys').catch(() => undefined)
      return checkReceipt(JSON.stringify(receipt), keys?.data)
    },
    enabled: !!receipt,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isGenuine = check.data?.ok
  const report = useEffectEvent(onChecked)
  useEffect(() => {
    if (isGenuine !== undefined) report(isGenuine)
  }, [isGenuine])
  return check
}

function OpenOrder({ tradeId, isOpen }: { tradeId: string; isOpen: boolean }) {
  const query = useQuery({
    ...queryOf('GET /trading/:trade_id', { params: { trade_id: tradeId } }),
    enabled: isOpen,
  })
  const problem = problemOf(query)
  if (!query.data) return problem ? <ListError {...problem} /> : <ReceiptSkeleton />
  const { order_hash } = query.data.data
  return (
    <>
      <p className={styles.note}>The receipt follows about a minute after the result.</p>
      {order_hash !== undefined && <OrderHash hash={order_hash} />}
    </>
  )
}

function OrderHash({ hash }: { hash: string }) {
  return (
    <div className={styles.hash}>
      <Facts>
        <Fact name="Order hash">
          <CopyText text={hash} what="order hash" />
        </Fact>
      </Facts>
      <p className={styles.note}>
        Keep a copy outside of this site, if you like: with it, <a href="/verify">Check a receipt</a> exposes a receipt
        of any other order.
      </p>
    </div>
  )
}

const Verdict = ({ checked }: { checked: Checked | undefined }) => (
  <div role="status">
    {checked && (
      <p className={checked.ok ? styles.genuine : styles.failed}>
        {checked.ok
          ? `Genuine: all ${checked.steps.length} steps passed.`
          : 'Not genuine: a step failed. Download the receipt and contact support.'}
      </p>
    )}
  </div>
)

function NotReady({ settledAt }: { settledAt: string | undefined }) {
  const isLate = settledAt !== undefined && Date.now() - Date.parse(settledAt) > LATE_MS
  return (
    <div className={styles.waiting} role="status">
      <Clock3 aria-hidden />
      <p>
        <strong>{isLate ? 'Not ready yet' : 'Ready in about a minute'}</strong>
        {isLate
          ? "It's taking longer than usual. It will appear here automatically."
          : 'The result is signed with the next checkpoint. Then the receipt appears here automatically.'}
      </p>
    </div>
  )
}
