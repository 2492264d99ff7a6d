import { Check, Copy } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Deposit, DepositRequest } from '#contract/money/cashier.ts'
import { PAYMENT_PROOF_MAX_BYTES } from '#contract/terms.ts'
import { call, newKey, noteOwnAction, useMeasuredTimes } from '#web/api/index.ts'
import {
  Alert,
  Button,
  ButtonLink,
  CopyText,
  depositsTook,
  Fact,
  Facts,
  formatPrice,
  formatUsd,
  ImageField,
  MESSAGES,
  plainCoins,
  QrCode,
  SourceBadge,
  toast,
  UploadProgress,
} from '#web/ui/index.ts'
import { COIN_NAMES, paymentText, walletLink } from './coins.ts'
import styles from './deposit.module.css'
import { RateCountdown } from './rate-countdown.tsx'
import { useDepositRequest } from './use-deposit-request.ts'

interface PayStepProps {
  request: DepositRequest
  onBack: () => void
  onRecorded: (message: string, deposit: Deposit) => void
}

/** Where to send the coins, and the upload of the payment proof. */
export function PayStep({ request: asked, onBack, onRecorded }: PayStepProps) {
  const took = depositsTook(useMeasuredTimes())
  const { proof, choose, submit, isMissing, sent, loading, error, errorOf } = useReceipt(asked.request_id, onRecorded)
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Alert>{error}</Alert>
      {asked.test && (
        <Alert kind="warning">
          <strong>Test address.</strong> No one owns it, so don't send anything to it. On this test installation, any
          image works as a receipt.
        </Alert>
      )}
      <div className={styles.columns}>
        <div className={styles.form}>
          <PaymentFacts {...asked} />
          <RateCountdown until={asked.rate_until} />
          {asked.address === null ? (
            <Alert kind="warning">Deposits aren't possible for your account right now. Don't send anything.</Alert>
          ) : (
            <Wallet {...asked} address={asked.address} />
          )}
        </div>
        <div className={styles.form}>
          <ImageField
            label="Receipt"
            error={isMissing ? MESSAGES.selectFile : errorOf('receipt')}
            hint="A screenshot or photo of the payment, 5 MB maximum."
            maxBytes={PAYMENT_PROOF_MAX_BYTES}
            value={proof}
            onChange={choose}
          />
          {loading && <UploadProgress part={sent} after="Received. Saving it…" />}
          <p className={styles.note}>
            Saved as <strong>{asked.request_id}</strong>. You can close this and continue later from Deposit fund.{' '}
            {took}
          </p>
          <div className={styles.answers}>
            <Button look="secondary" disabled={loading} onClick={onBack}>
              Back
            </Button>
            <Button type="submit" loading={loading}>
              Request
            </Button>
          </div>
        </div>
      </div>
    </form>
  )
}

/** The chosen payment proof, and its upload, which makes the request a deposit. */
function useReceipt(request_id: string, onRecorded: PayStepProps['onRecorded']) {
  const [proof, setProof] = useState<File>()
  const [isAsked, setAsked] = useState(false)
  const [sent, setSent] = useState(0)
  // One key per payment proof: a retry after a lost response is the same deposit.
  const key = useRef('')
  const { loading, error, errorOf, run } = useDepositRequest()

  function choose(file: File | undefined) {
    key.current = newKey()
    setProof(file)
  }

  function submit() {
    setAsked(true)
    if (!proof) return
    void run(async () => {
      setSent(0)
      noteOwnAction('deposit')
      const answer = await call('POST /deposit/requests/:request_id/submit', {
        params: { request_id },
        form: {},
        files: { receipt: proof },
        key: key.current,
        onProgress: setSent,
      })
      onRecorded(answer.message, answer.data)
    })
  }

  return { proof, choose, submit, isMissing: isAsked && !proof, sent, loading, error, errorOf }
}

function PaymentFacts({ currency, usd_amount, coin_amount, rate, rate_source }: DepositRequest) {
  return (
    <Facts>
      <Fact name="You deposit">{formatUsd(usd_amount)}</Fact>
      <Fact name="Send">
        <CopyText text={plainCoins(coin_amount)} unit={currency} what="amount" />
      </Fact>
      <Fact name="Rate">
        {formatPrice(rate)} USD per {currency}{' '}
        {rate_source !== null && rate_source !== 'live' && <SourceBadge source={rate_source} />}
      </Fact>
    </Facts>
  )
}

function Wallet({ currency: coin, coin_amount, address, test }: DepositRequest & { address: string }) {
  const [copied, setCopied] = useState(false)
  return (
    <div className={styles.wallet}>
      <QrCode text={paymentText(coin, address, coin_amount)} label={`QR code of the ${COIN_NAMES[coin]} address`} />
      <div className={styles.to}>
        <span className={styles.label}>{test ? 'Test address' : `${COIN_NAMES[coin]} address`}</span>
        <button type="button" className={styles.address} onClick={() => copyAddress(address, () => setCopied(true))}>
          <span className="visually-hidden">Copy the address </span>
          <code>{address}</code>
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        </button>
        {!test && (
          <ButtonLink className={styles.app} look="secondary" href={walletLink(coin, address, coin_amount)}>
            Open wallet app
          </ButtonLink>
        )}
        <p className={styles.note} role="status">
          Send only {coin} to this address. {copied ? 'Copied.' : 'Click the address to copy it.'}
        </p>
      </div>
    </div>
  )
}

function copyAddress(address: string, onCopied: () => void): void {
  // The clipboard API is missing on pages loaded over plain http.
  const copied = navigator.clipboard?.writeText(address) ?? Promise.reject(new Error('no clipboard'))
  copied.then(
    () => {
      onCopied()
      toast.success(MESSAGES.addressCopied)
    },
    () => toast.error(`We couldn't copy the address. It's ${address}.`),
  )
}
