import { FileUp, ShieldCheck, ShieldX } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import type { ProofKey } from '#contract/prices/proof.ts'
import { toIso } from '#kernel/time.ts'
import { type Receipt, STEPS } from '#packages/verify/verify.js'
import {
  Alert,
  Button,
  cx,
  Fact,
  Facts,
  formatDuration,
  formatUsd,
  Side,
  StatusBadge,
  TradeTimes,
} from '#web/ui/index.ts'
import { type Checked, checkReceipt } from './check.ts'
import styles from './check-receipt.module.css'
import { ReceiptPicture } from './receipt-picture.tsx'
import { Steps } from './steps.tsx'
import { decidedBy, EXPLAINED, notReceipt, sentencesOf } from './words.ts'

/** The keys that the platform publishes; `undefined` if they couldn't be loaded. */
type PublishedKeys = Promise<readonly ProofKey[] | undefined>

interface CheckReceiptProps {
  keys?: PublishedKeys
  /** Text that was typed before this part was loaded. */
  typed?: string
  /** The kept hash that was typed before. */
  typedHash?: string
  /** The file that was given before this part was loaded. */
  given?: File | undefined
  /** Called before a receipt is read. */
  onGiven?: () => void
}

/** No receipt is larger. */
const MAX_BYTES = 5_000_000

interface Result {
  checked?: Checked
  /** Why there is nothing to check. */
  problem?: string
  hasKeys?: boolean
}

/** Takes a receipt as a file or as text and shows the result of the check. Sends nothing. */
export function CheckReceipt({ keys, typed = '', typedHash = '', given, onGiven }: CheckReceiptProps) {
  const [result, setResult] = useState<Result>()
  const heading = useRef<HTMLHeadingElement>(null)
  const taken = useRef<File>(undefined)
  const [kept, setKept] = useState(typedHash)
  const last = useRef<() => Promise<string>>(undefined)

  async function check(read: () => Promise<string>, hash = kept): Promise<void> {
    onGiven?.()
    last.current = read
    try {
      const content = await read()
      const problem = notReceipt(content) ?? notHash(hash)
      const published = await keys
      if (problem) return setResult({ problem })
      setResult({ checked: await checkReceipt(content, published, hashOf(hash)), hasKeys: published !== undefined })
    } catch (error) {
      setResult({ problem: (error as Error).message })
    }
  }
  useEffect(() => {
    if (!result) return
    heading.current?.focus({ preventScroll: true })
    heading.current?.scrollIntoView({ block: 'start' })
  }, [result])
  const checkFile = (file: File | undefined) => {
    if (!file) return
    if (file.size > MAX_BYTES) setResult({ problem: 'This file is too large to be a receipt.' })
    else void check(() => file.text())
  }

  useEffect(() => {
    if (!given || taken.current === given) return
    taken.current = given
    checkFile(given)
  })

  return (
    <div className={styles.check} data-check-receipt>
      <DropFile onFile={checkFile} />
      <PasteText typed={typed} onText={(pasted) => void check(async () => pasted.trim())} />
      <KeptHash
        value={kept}
        onHash={(hash) => {
          setKept(hash)
          // What was checked without it, or with another one, is checked again once it's complete.
          if (last.current && notHash(hash) === undefined) void check(last.current, hash)
        }}
      />
      {result && (
        <section className={styles.result} aria-label="Result">
          <ResultHead result={result} headingRef={heading} />
          {result.checked && <ResultBody checked={result.checked} hasKeys={result.hasKeys} />}
        </section>
      )}
    </div>
  )
}

function DropFile({ onFile }: { onFile: (file: File | undefined) => void }) {
  const [isOver, setOver] = useState(false)
  const drop = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      onFile(event.dataTransfer.files[0])
    },
  }
  return (
    <div className={cx(styles.drop, isOver && styles.over)} {...drop}>
      <FileUp aria-hidden />
      <p className={styles.dropTitle}>Drop a receipt here</p>
      <label className={styles.choose}>
        Choose a file
        <input
          className="visually-hidden"
          type="file"
          accept=".json,application/json"
          name="file"
          onChange={({ target }) => {
            onFile(target.files?.[0])
            // The same file can be chosen again after a change.
            target.value = ''
          }}
        />
      </label>
      <p className={styles.quiet}>It stays in your browser: nothing is sent.</p>
    </div>
  )
}

function PasteText({ typed, onText }: { typed: string; onText: (text: string) => void }) {
  const [text, setText] = useState(typed)
  const textId = useId()
  return (
    <form
      className={styles.paste}
      onSubmit={(event) => {
        event.preventDefault()
        onText(text)
      }}
    >
      <label htmlFor={textId}>Or paste its text</label>
      <textarea
        className={styles.text}
        id={textId}
        name="text"
        rows={3}
        spellCheck={false}
        autoComplete="off"
        placeholder='{"type":"cleartick receipt", …}'
        value={text}
        onChange={({ target }) => setText(target.value)}
        onPaste={(event: ClipboardEvent<HTMLTextAreaElement>) => {
          const pasted = event.clipboardData.getData('text')
          if (text !== '' || !pasted.trim().startsWith('{')) return
          event.preventDefault()
          setText(pasted)
          onText(pasted)
        }}
      />
      <Button type="submit" look="secondary" disabled={text.trim() === ''}>
        Check this text
      </Button>
    </form>
  )
}

/** Returns what was kept of the order; undefined if nothing was typed. */
const hashOf = (kept: string): string | undefined => kept.trim().toLowerCase() || undefined

/** Returns why a typed hash can't be one. */
const notHash = (kept: string): string | undefined =>
  /^([0-9a-f]{64})?$/.test(hashOf(kept) ?? '')
    ? undefined
    : 'The order hash that you kept has 64 characters, 0 to 9 and a to f. Correct it, or leave it blank.'

function KeptHash({ value, onHash }: { value: string; onHash: (hash: string) => void }) {
  const id = useId()
  return (
    <div className={styles.paste}>
      <label htmlFor={id}>The order hash that you kept (optional)</label>
      <input
        className={styles.text}
        id={id}
        name="hash"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        value={value}
        onChange={({ target }) => onHash(target.value)}
      />
    </div>
  )
}

function ResultHead({ result, headingRef }: { result: Result; headingRef: RefObject<HTMLHeadingElement | null> }) {
  const { checked, problem } = result
  const failed = checked?.steps.find(({ ok }) => !ok)
  const isGenuine = checked !== undefined && !failed
  const Icon = isGenuine ? ShieldCheck : ShieldX
  return (
    <div className={cx(styles.verdict, isGenuine ? styles.genuine : styles.failed)}>
      <Icon aria-hidden />
      <div>
        <h2 className={styles.heading} tabIndex={-1} ref={headingRef}>
          {isGenuine ? 'This receipt is genuine' : failed ? 'This receipt is not genuine' : 'This can’t be checked'}
        </h2>
        <p>
          {isGenuine && 'All steps passed.'}
          {failed && `It fails at the step ‘${failed.title}’: ${sentence(failed.says)}`}
          {problem}
        </p>
      </div>
    </div>
  )
}

const sentence = (text: string): string => (/[.!]$/.test(text) ? text : `${text}.`)

function ResultBody({ checked: { steps, receipt }, hasKeys }: { checked: Checked; hasKeys: boolean | undefined }) {
  return (
    <>
      {!hasKeys && (
        <Alert kind="warning">
          The published keys couldn’t be loaded. Compare the key ids below with those in your own copy of the keys.
        </Alert>
      )}
      {receipt && <ReceiptContent receipt={receipt} />}
      <h3 className={styles.part}>What was checked</h3>
      <Steps steps={steps} titles={STEPS} explained={EXPLAINED} />
    </>
  )
}

/** The prices that decided it; none where no price did. */
function timesOf(receipt: Receipt) {
  const { trade, outcome, ticks } = receipt
  const decided = decidedBy(receipt)
  const entry = decided === 'no entry' || decided === 'by operators' ? null : ticks.entry
  const exit = decided === 'by prices' ? ticks.exit : null
  return {
    status: outcome.status,
    ...{ trade_time: toIso(trade.trade_time), end_time: toIso(trade.end_time) },
    ...(entry && { entry_price: entry.price, entry_time: toIso(entry.time) }),
    ...(exit && { exit_price: exit.price, exit_time: toIso(exit.time) }),
  }
}

function ReceiptContent({ receipt }: { receipt: Receipt }) {
  const { trade, outcome } = receipt
  return (
    <div className={styles.content}>
      <div className={styles.column}>
        <h3 className={styles.part}>The trade</h3>
        <Facts>
          <Fact name="Trade ID">{trade.id}</Fact>
          <Fact name="Result">
            <StatusBadge status={outcome.status} />
          </Fact>
          <Fact name="Symbol">{trade.symbol}</Fact>
          <Fact name="Direction">
            <Side side={trade.side} />
          </Fact>
          <Fact name="Amount">{formatUsd(Number(trade.stake))}</Fact>
          <Fact name="Payout if won">{trade.percent}%</Fact>
          <Fact name="Payout">{formatUsd(Number(outcome.payout))}</Fact>
          <TradeTimes trade={timesOf(receipt)} scale={undefined} />
          <Fact name="Duration">{formatDuration((trade.end_time - trade.trade_time) / 1_000)}</Fact>
          <Fact name="Account">{trade.mode === 'demo' ? 'Demo' : 'Live'}</Fact>
          <Fact name="Prices">{SOURCES[trade.source]}</Fact>
          <Fact name="Rules">{trade.rule_version}</Fact>
          {receipt.version !== 1 && (
            <>
              <Fact name="Strike rate">{receipt.trade.strike_rate}</Fact>
              <Fact name="Order hash">
                <span className={styles.hash}>{receipt.trade.order}</span>
              </Fact>
            </>
          )}
        </Facts>
      </div>
      <div className={styles.column}>
        <h3 className={styles.part}>How it was decided</h3>
        <ReceiptPicture receipt={receipt} />
        <div className={styles.words}>
          {sentencesOf(receipt).map((text) => (
            <p key={text}>{text}</p>
          ))}
          <p className={styles.quiet}>
            {decidedBy(receipt) === 'by operators' && `${outcome.reason} `}
            Times above are in your time zone, those of the steps in UTC.
          </p>
          <p className={styles.quiet}>
            Exchanges that operators took out of the prices or put back are listed with their times under{' '}
            <a href="/prices#switches">How prices are made</a>.
          </p>
        </div>
      </div>
    </div>
  )
}

const SOURCES = { live: 'Live', replay: 'Replayed', simulation: 'Simulated' } as const
