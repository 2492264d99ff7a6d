import { useQuery } from '@tanstack/react-query'
import { Check, Copy } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Deposit } from '#contract/cashier.ts'
import { type Coin, PAYMENT_PROOF_MAX_BYTES } from '#contract/terms.ts'
import { call, newKey, noteOwnAction, queryOf } from '#web/api/index.ts'
import {
  Alert,
  Button,
  CopyText,
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
import { COIN_NAMES, type Preview, paymentText } from './coins.ts'
import styles from './deposit.module.css'
import { useDepositRequest } from './use-deposit-request.ts'

interface PayStepProps {
  coin: Coin
  preview: Preview
  onBack: () => void
  onRecorded: (message: string, deposit: Deposit) => void
}

/** Where to send the coins, and the upload of the payment proof. */
export function PayStep({ coin, preview, onBack, onRecorded }: PayStepProps) {
  const { usdAmount, isTest } = preview
  const [proof, setProof] = useState<File>()
  const [isAsked, setAsked] = useState(false)
  const [sent, setSent] = useState(0)
  // One key per payment proof: a retry after a lost response is the same deposit.
  const key = useRef('')
  const { loading, error, errorOf, run } = useDepositRequest()

  function request() {
    setAsked(true)
    if (!proof) return
    void run(async () => {
      setSent(0)
      noteOwnAction('deposit')
      const answer = await call('POST /deposit', {
        form: { usd_amount: usdAmount, currency: coin },
        files: { receipt: proof },
        key: key.current,
        onProgress: setSent,
      })
      onRecorded(answer.message, answer.data)
    })
  }

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        request()
      }}
    >
      <Alert>{error}</Alert>
      {isTest && (
        <Alert kind="warning">
          <strong>Test address.</strong> No one owns it, so don't send anything to it. On this test installation, any
          image works as a receipt.
        </Alert>
      )}
      <PaymentFacts coin={coin} preview={preview} />
      <Wallet coin={coin} preview={preview} />
      <ImageField
        label="Receipt"
        error={isAsked && !proof ? MESSAGES.selectFile : errorOf('receipt')}
        hint="A screenshot or photo of the payment, 5 MB maximum."
        maxBytes={PAYMENT_PROOF_MAX_BYTES}
        value={proof}
        onChange={(file) => {
          key.current = newKey()
          setProof(file)
        }}
      />
      {loading && <UploadProgress part={sent} after="Received. Saving it…" />}
      <div className={styles.answers}>
        <Button look="secondary" disabled={loading} onClick={onBack}>
          Back
        </Button>
        <Button type="submit" loading={loading}>
          Request
        </Button>
      </div>
    </form>
  )
}

type PartProps = Pick<PayStepProps, 'coin' | 'preview'>

function PaymentFacts({ coin, preview: { usdAmount, coinAmount, rate } }: PartProps) {
  const source = useQuery(queryOf('GET /prices/instruments')).data?.source
  return (
    <Facts>
      <Fact name="You deposit">{formatUsd(Number(usdAmount))}</Fact>
      <Fact name="Send">
        <CopyText text={plainCoins(coinAmount)} unit={coin} what="amount" />
      </Fact>
      <Fact name="Rate">
        {formatPrice(rate)} USD per {coin}
        {source !== undefined && source !== 'live' && (
          <>
            {' '}
            <SourceBadge source={source} />
          </>
        )}
      </Fact>
    </Facts>
  )
}

function Wallet({ coin, preview: { coinAmount, address, isTest } }: PartProps) {
  const [copied, setCopied] = useState(false)
  return (
    <div className={styles.wallet}>
      <QrCode text={paymentText(coin, address, coinAmount)} label={`QR code of the ${COIN_NAMES[coin]} address`} />
      <div className={styles.to}>
        <span className={styles.label}>{isTest ? 'Test address' : `${COIN_NAMES[coin]} address`}</span>
        <button type="button" className={styles.address} onClick={() => copyAddress(address, () => setCopied(true))}>
          <span className="visually-hidden">Copy the address </span>
          <code>{address}</code>
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        </button>
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
