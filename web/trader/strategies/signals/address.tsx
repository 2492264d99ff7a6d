import { useState } from 'react'
import type { OwnStrategy } from '#contract/trading/own-strategies.ts'
import { type SignalAddress, WEBHOOK_SECONDS, WEBHOOKS_A_MINUTE } from '#contract/trading/webhooks.ts'
import { call, useRequest } from '#web/api/index.ts'
import { Alert, Button, CopyText, QuestionButtons } from '#web/ui/index.ts'
import styles from './signals.module.css'

/** TradingView replaces what is in braces. */
const TRADINGVIEW = '{"symbol": "{{ticker}}", "side": "{{strategy.order.action}}", "time": "{{timenow}}"}'

/** Makes the address and the key of signals from outside, and shows them once. */
export function Address({ strategy, onClose }: { strategy: OwnStrategy; onClose: () => void }) {
  const [made, setMade] = useState<SignalAddress>()
  const { loading, error, run } = useRequest()
  const make = () =>
    run(async () => setMade((await call('POST /strategies/:id/address', { params: { id: strategy.id } })).data))
  if (made) return <Made made={made} strategy={strategy} onClose={onClose} />
  return (
    <div className={styles.dialog}>
      <p>
        Your sender posts each signal to this secret address. It's shown once, with a key for senders that can sign.
      </p>
      <Alert kind="warning">If this strategy has an address already, it stops working, with its key.</Alert>
      <Alert>{error}</Alert>
      <QuestionButtons>
        <Button look="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={loading} onClick={() => void make()}>
          Make an address
        </Button>
      </QuestionButtons>
    </div>
  )
}

function Made({ made, strategy, onClose }: { made: SignalAddress; strategy: OwnStrategy; onClose: () => void }) {
  const other = `{"symbol": "${strategy.symbols[0] ?? 'BTCUSDT'}", "side": "buy", "time": "TIME"}`
  return (
    <div className={styles.dialog}>
      <Alert kind="warning">
        Copy it now: it's shown once. Anyone who knows the address can send signals. If it leaks, make a new one.
      </Alert>
      <Copied title="Address" text={made.url} what="address" />
      <Copied title="Message for TradingView" text={TRADINGVIEW} what="message for TradingView">
        Paste it as the message of an alert of your TradingView strategy, and the address as its webhook URL.
      </Copied>
      <Copied title="Message for 3Commas and others" text={other} what="message for other senders">
        Side is buy or sell, long or short. For TIME, use your sender's placeholder for the current time: ISO 8601, or
        Unix time.
      </Copied>
      <p className={styles.note}>
        A message counts once, within {WEBHOOK_SECONDS} seconds of its time; at most {WEBHOOKS_A_MINUTE} a minute.
        {!strategy.signals_on && " The strategy's signals are off: switch them on before you send."}
      </p>
      <details className={styles.fold}>
        <summary>Sign your messages</summary>
        <div className={styles.dialog}>
          <Copied title="Address for signed messages" text={made.signed_url} what="address for signed messages">
            Without a valid signature, nothing counts there.
          </Copied>
          <Copied title="Key" text={made.key} what="key" />
          <p className={styles.note}>
            Send the same body with two headers. <code>X-Nonce</code>: 8 to 64 characters, new each time.{' '}
            <code>X-Signature</code>: the HMAC-SHA256, in hexadecimal, of the nonce, a full stop and the body, with the
            key as text:
          </p>
          <code className={styles.code}>printf '%s' "$NONCE.$BODY" | openssl dgst -sha256 -hmac "$KEY"</code>
        </div>
      </details>
      <Button wide onClick={onClose}>
        Done
      </Button>
    </div>
  )
}

function Copied({ title, text, what, children }: { title: string; text: string; what: string; children?: string }) {
  return (
    <div className={styles.copied}>
      <h3 className={styles.title}>{title}</h3>
      <div className={styles.code}>
        <CopyText text={text} what={what} />
      </div>
      {children && <p className={styles.note}>{children}</p>}
    </div>
  )
}
