import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Instrument } from '#contract/prices/prices.ts'
import { ALERT_INTERVALS } from '#contract/terms.ts'
import {
  type Alert as AlertData,
  type AlertDirection,
  type AlertInterval,
  type AlertKind,
  MOVE_MINUTES,
} from '#contract/trading/alerts.ts'
import { type Indicator, indicatorOf } from '#kernel/indicators/list.ts'
import { queryOf, usePush, useRequest } from '#web/api/index.ts'
import { Alert, Button, Choices, Field, formatPrice, Modal, readNumber, Select, toast, useLast } from '#web/ui/index.ts'
import styles from './alert-dialog.module.css'
import { AskPush, isPushAsked } from './ask-push.tsx'
import { bodyOf, freshIndicator, OFFERED, type Typed, typedOf, type Wrong } from './terms.ts'
import { saveAlert } from './use-alerts.ts'
import { alertWords, MINUTES_WORDS } from './words.ts'

const KINDS: readonly { value: AlertKind; label: string }[] = [
  { value: 'price', label: 'Price' },
  { value: 'move', label: 'Move' },
  { value: 'indicator', label: 'Indicator' },
]
const NEW = 'new'
/** What the server refuses of these is shown there. */
const AT_FIELDS = ['symbol', 'level', 'percent', 'indicator']
const NO_INSTRUMENTS: readonly Instrument[] = []

interface AlertDialogProps {
  open: boolean
  onClose: () => void
  /** The one to change; without it, a new one. */
  alert?: AlertData | undefined
  /** What a new one begins with. */
  symbol?: string
  price?: string | undefined
}

/** Makes or changes an alert. */
export function AlertDialog({ open, onClose, alert, symbol = '', price = '' }: AlertDialogProps) {
  const last = useLast(open ? (alert ?? NEW) : undefined)
  const shown = last === NEW ? undefined : last
  const push = usePush()
  const [asksPush, setAsksPush] = useState(false)
  const close = () => {
    setAsksPush(false)
    onClose()
  }
  if (asksPush)
    return (
      <Modal open={open} onClose={close} title="Also while the app is closed?" sheet>
        <AskPush onDone={close} />
      </Modal>
    )
  return (
    <Modal open={open} onClose={close} title={shown ? 'Change alert' : 'New alert'} sheet>
      <AlertForm
        key={shown?.id ?? symbol}
        alert={shown}
        symbol={symbol}
        price={price}
        onDone={() => (push === 'off' && !isPushAsked() ? setAsksPush(true) : close())}
      />
    </Modal>
  )
}

interface FormProps {
  alert: AlertData | undefined
  symbol: string
  price: string
  onDone: () => void
}

function AlertForm({ alert, symbol, price, onDone }: FormProps) {
  const { data } = useQuery(queryOf('GET /prices/instruments'))
  const instruments = data?.data ?? NO_INSTRUMENTS
  const [typed, setTyped] = useState(() => typedOf(alert, symbol, price))
  const [wrong, setWrong] = useState<Wrong>({})
  const { loading, error, errorOf, run } = useRequest()
  const change = (part: Partial<Typed>) => {
    setTyped({ ...typed, ...part })
    setWrong({})
  }
  const submit = () => {
    const read = bodyOf(
      typed,
      instruments.map((one) => one.symbol),
    )
    if ('wrong' in read) return setWrong(read.wrong)
    void run(async () => {
      const saved = await saveAlert(read.body, alert?.id)
      toast.success(`Alert set: ${saved.symbol} ${alertWords(saved)}.`)
      onDone()
    })
  }
  // The fields announce it themselves: the form's message would name them as the call does.
  const refusedOf = (field: string) => errorOf(field)?.refused
  const isAtField = AT_FIELDS.some((field) => refusedOf(field) !== undefined)
  const part = { typed, change, wrong, refusedOf, instruments }
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Choices
        label="Notify me of"
        value={typed.kind}
        onChange={(kind) => change({ kind, direction: 'either' })}
        options={KINDS}
      />
      <SymbolField {...part} />
      {typed.kind === 'price' && <PriceField {...part} />}
      {typed.kind === 'move' && <MoveFields {...part} />}
      {typed.kind === 'indicator' && <IndicatorFields {...part} />}
      <Alert>{isAtField ? undefined : error}</Alert>
      <Button type="submit" loading={loading}>
        {alert ? 'Save and arm' : 'Set alert'}
      </Button>
      <p className={styles.note}>It fires once and stays in your list.</p>
    </form>
  )
}

interface PartProps {
  typed: Typed
  change: (part: Partial<Typed>) => void
  wrong: Wrong
  refusedOf: (field: string) => string | undefined
  instruments: readonly Instrument[]
}

/** Any symbol by its code, with suggestions while typing. */
function SymbolField({ typed, change, wrong, refusedOf, instruments }: PartProps) {
  const listId = useId()
  return (
    <>
      <Field
        label="Symbol"
        list={listId}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        placeholder="BTCUSDT"
        value={typed.symbol}
        error={wrong.symbol ?? refusedOf('symbol')}
        onChange={(event) => change({ symbol: event.target.value.toUpperCase() })}
      />
      <datalist id={listId}>
        {instruments.map((one) => (
          <option key={one.symbol} value={one.symbol}>{`${one.base} / ${one.quote}`}</option>
        ))}
      </datalist>
    </>
  )
}

function PriceField({ typed, change, wrong, refusedOf, instruments }: PartProps) {
  const now = instruments.find((one) => one.symbol === typed.symbol)?.price
  return (
    <Field
      label="Price"
      inputMode="decimal"
      autoComplete="off"
      value={typed.level}
      error={wrong.level ?? refusedOf('level')}
      hint={now === undefined ? undefined : priceHint(readNumber(typed.level), now)}
      onChange={(event) => change({ level: event.target.value })}
    />
  )
}

/** How far a level is from the price. */
function priceHint(level: number, price: string): string {
  const now = `Now ${formatPrice(price)}.`
  const distance = ((level - Number(price)) / Number(price)) * 100
  if (!Number.isFinite(distance) || distance === 0) return `${now} Enter a price above or below.`
  const far = `${Math.abs(distance).toFixed(2)}% ${distance > 0 ? 'above' : 'below'}`
  return `${now} This is ${far}: you're notified when the price ${distance > 0 ? 'rises' : 'falls'} to it.`
}

function MoveFields({ typed, change, wrong, refusedOf }: PartProps) {
  return (
    <>
      <div className={styles.pair}>
        <Field
          label="Percent"
          inputMode="decimal"
          autoComplete="off"
          value={typed.percent}
          error={wrong.percent ?? refusedOf('percent')}
          onChange={(event) => change({ percent: event.target.value })}
        />
        <Select
          label="Within"
          value={typed.minutes}
          onChange={(event) => change({ minutes: Number(event.target.value) })}
        >
          {MOVE_MINUTES.map((minutes) => (
            <option key={minutes} value={minutes}>
              {MINUTES_WORDS[minutes]}
            </option>
          ))}
        </Select>
      </div>
      <Direction typed={typed} change={change} words={{ either: 'Up or down', up: 'Up', down: 'Down' }} />
    </>
  )
}

function Direction({
  typed,
  change,
  words,
}: Pick<PartProps, 'typed' | 'change'> & { words: Record<AlertDirection, string> }) {
  return (
    <Choices
      label="Direction"
      value={typed.direction}
      onChange={(direction) => change({ direction })}
      options={(['either', 'up', 'down'] as const).map((value) => ({ value, label: words[value] }))}
    />
  )
}

function IndicatorFields({ typed, change, wrong, refusedOf }: PartProps) {
  const known = indicatorOf(typed.indicator)
  return (
    <>
      <Select
        label="Indicator"
        value={typed.indicator}
        error={refusedOf('indicator')}
        onChange={(event) => {
          const next = indicatorOf(event.target.value)
          if (next) change(freshIndicator(next))
        }}
      >
        {OFFERED.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <IndicatorNumbers known={known} typed={typed} change={change} wrong={wrong} />
      <Choices
        label="Candle"
        value={typed.interval}
        onChange={(interval) => change({ interval })}
        options={(Object.keys(ALERT_INTERVALS) as AlertInterval[]).map((value) => ({ value, label: value }))}
      />
      <Direction typed={typed} change={change} words={{ either: 'Crosses', up: 'Rises to', down: 'Falls to' }} />
      <p className={styles.note}>Checked when a candle closes.</p>
    </>
  )
}

function IndicatorNumbers({
  known,
  typed,
  change,
  wrong,
}: Pick<PartProps, 'typed' | 'change' | 'wrong'> & { known: Indicator | undefined }) {
  return (
    <div className={styles.pair}>
      {known?.inputs.map(({ name, min, max }, at) => (
        <Field
          key={name}
          label={name}
          inputMode="decimal"
          autoComplete="off"
          value={typed.inputs[at] ?? ''}
          error={at === 0 ? wrong.inputs : undefined}
          hint={`${min} to ${max}`}
          onChange={(event) =>
            change({ inputs: typed.inputs.map((input, index) => (index === at ? event.target.value : input)) })
          }
        />
      ))}
      {known && known.outputs.length > 1 && (
        <Select label="Line" value={typed.output} onChange={(event) => change({ output: event.target.value })}>
          {known.outputs.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </Select>
      )}
      <Field
        label="Value"
        inputMode="decimal"
        autoComplete="off"
        value={typed.threshold}
        error={wrong.threshold}
        hint={known?.inPrice ? 'In the unit of the price' : undefined}
        onChange={(event) => change({ threshold: event.target.value })}
      />
    </div>
  )
}
