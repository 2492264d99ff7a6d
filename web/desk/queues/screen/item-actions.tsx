import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import { usdToNumber } from '#kernel/money.ts'
import { CallError, messageOf } from '#web/client/index.ts'
import { Alert, Button, Field, readUsd, Textarea, toast, withAmount } from '#web/ui/index.ts'
import { readAllAgain } from '../../api.ts'
import { Key } from '../../parts/key.tsx'
import type { Action, Asked } from './item.ts'
import styles from './queue.module.css'
import { useKeys } from './use-keys.ts'

interface ItemActionsProps {
  actions: Action[]
  /** Why nothing can be done now, as text. */
  blocked: string | undefined
  /** Claims or releases the item. */
  claim?: () => Promise<{ message: string }>
  claimed?: boolean
}

/** The actions for an item: buttons with shortcut keys. An action that needs input shows its field in place. */
export function ItemActions({ actions, blocked, claim, claimed }: ItemActionsProps) {
  const [asking, setAsking] = useState<Action>()
  /** `refused`: what is wrong with the input. */
  const [state, setState] = useState<{ loading: boolean; error?: string; refused?: string }>({ loading: false })
  const canAct = blocked === undefined && !state.loading

  async function run(work: () => Promise<string>) {
    if (state.loading) return
    setState({ loading: true })
    try {
      toast.success(await work())
      setAsking(undefined)
      setState({ loading: false })
    } catch (error) {
      const refused = error instanceof CallError ? error.errors[0]?.message : undefined
      setState({ loading: false, ...(refused === undefined ? { error: messageOf(error) } : { refused }) })
    }
    // Another operator may have been faster: reload either way.
    await readAllAgain()
  }

  function choose(action: Action) {
    if (!canAct) return
    setState({ loading: false })
    if (action.asks) setAsking(action)
    else void run(() => action.run(''))
  }
  const claimIt = () => claim && blocked === undefined && void run(async () => (await claim()).message)

  useKeys({
    ...Object.fromEntries(actions.map((action) => [action.key, () => choose(action)])),
    c: () => claimIt(),
  })

  if (blocked !== undefined) return <p className={styles.blocked}>{blocked}</p>
  if (actions.length === 0 && !claim) return null
  return (
    <div className={styles.acts}>
      <Alert>{state.error ?? (asking?.asks ? undefined : state.refused)}</Alert>
      {asking?.asks ? (
        <AskForm
          key={asking.key}
          action={asking}
          asks={asking.asks}
          loading={state.loading}
          refused={state.refused}
          onRefused={(refused) => setState({ loading: false, ...(refused !== undefined && { refused }) })}
          onSubmit={(typed) => void run(() => asking.run(typed))}
          onCancel={() => setAsking(undefined)}
        />
      ) : (
        <ActionButtons {...{ actions, canAct, claim, claimed }} onChoose={choose} onClaim={claimIt} />
      )}
    </div>
  )
}

interface ActionButtonsProps extends Omit<ItemActionsProps, 'blocked'> {
  canAct: boolean
  onChoose: (action: Action) => void
  onClaim: () => void
}

function ActionButtons({ actions, canAct, claim, claimed, onChoose, onClaim }: ActionButtonsProps) {
  return (
    <div className={styles.buttons}>
      {actions.map((action) => (
        <Button key={action.key} look={action.look ?? 'secondary'} disabled={!canAct} onClick={() => onChoose(action)}>
          {action.label} <Key aria-hidden>{action.key}</Key>
        </Button>
      ))}
      {claim && (
        <Button look="quiet" disabled={!canAct} onClick={onClaim}>
          {claimed ? 'Release' : 'Claim'} <Key aria-hidden>c</Key>
        </Button>
      )}
    </div>
  )
}

interface AskFormProps {
  action: Action
  asks: Asked
  loading: boolean
  /** Why the input can't be used. */
  refused: string | undefined
  /** Called with why the input can't be used; with nothing once it can. */
  onRefused: (why: string | undefined) => void
  onSubmit: (typed: string) => void
  onCancel: () => void
}

/** A key that is held down confirms nothing. */
function dropRepeats(event: KeyboardEvent) {
  if (event.repeat) event.preventDefault()
}

/** The field of an action that needs input, or its second look. */
function AskForm({ action, asks, loading, refused, onRefused, onSubmit, onCancel }: AskFormProps) {
  const [typed, setTyped] = useState('')
  /** The readable amount that awaits its second look. */
  const [looksAgain, setLooksAgain] = useState(false)
  /** The amount that was odd, in dollars: it counts only once it has been typed again. */
  const [doubted, setDoubted] = useState<number>()

  /** Returns why the input can't be used, as text. An odd amount is asked for again. */
  function refusal(): string | undefined {
    if (asks.kind === 'confirm') return undefined
    if (typed.trim() === '') return 'must not be empty'
    if (asks.kind !== 'amount') return undefined
    const { amount, problem } = readUsd(typed)
    if (amount === undefined) return problem
    const warning = asks.warning?.(usdToNumber(amount))
    if (warning === undefined || doubted === usdToNumber(amount)) return undefined
    setDoubted(usdToNumber(amount))
    setTyped('')
    return `${warning} If that's right, enter the amount again.`
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const why = looksAgain ? undefined : refusal()
    if (why !== undefined) onRefused(why)
    else if (asks.kind === 'amount' && !looksAgain) {
      onRefused(undefined)
      setLooksAgain(true)
    } else onSubmit(typed.trim())
  }

  function onKeyDown(event: KeyboardEvent<HTMLFormElement>) {
    if (event.key === 'Escape') onCancel()
    // A reason is one paragraph: Shift+Enter starts a line.
    const isLong = event.target instanceof HTMLTextAreaElement
    if (event.key === 'Enter' && isLong && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      if (!event.repeat && !loading) event.currentTarget.requestSubmit()
    }
  }

  if (asks.kind === 'confirm' || looksAgain)
    return (
      <form key="look" className={styles.ask} noValidate onSubmit={submit} onKeyDown={onKeyDown}>
        <SecondLook {...{ action, asks, loading, refused, onCancel, typed }} />
      </form>
    )

  const field = {
    ...{ label: asks.label, hint: asks.hint, autoFocus: true, value: typed },
    ...(refused !== undefined && { error: refused }),
  }
  return (
    <form className={styles.ask} noValidate onSubmit={submit} onKeyDown={onKeyDown}>
      {asks.kind === 'long' ? (
        <Textarea {...field} maxLength={500} onChange={(event) => setTyped(event.target.value)} />
      ) : (
        <Field
          {...field}
          {...(asks.kind === 'amount' ? { unit: '$', inputMode: 'decimal' as const } : {})}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <div className={styles.askActs}>
        <Button type="submit" look={action.look ?? 'primary'} loading={loading}>
          {asks.kind === 'amount' ? 'Continue' : action.label}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

type SecondLookProps = Omit<AskFormProps, 'onRefused' | 'onSubmit'> & { typed: string }

/** Asks to confirm the action, or the amount that was typed. */
function SecondLook({ action, asks, loading, refused, onCancel, typed }: SecondLookProps) {
  const lookId = useId()
  const amount = asks.kind === 'amount' ? withAmount(asks.verb, typed) : undefined
  return (
    <>
      <p id={lookId}>{asks.kind === 'amount' ? `${amount} to ${asks.to}?` : asks.label}</p>
      <Alert>{refused}</Alert>
      <div className={styles.askActs}>
        <Button
          type="submit"
          look={action.look ?? 'primary'}
          loading={loading}
          autoFocus
          aria-describedby={lookId}
          onKeyDown={dropRepeats}
        >
          {amount ?? action.label}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </>
  )
}
