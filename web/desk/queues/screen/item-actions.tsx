import { type FormEvent, useState } from 'react'
import { usdToNumber } from '#kernel/money.ts'
import { CallError, messageOf } from '#web/client/index.ts'
import { Alert, Button, dollarsOf, errorText, Field, readUsd, Textarea, toast, withAmount } from '#web/ui/index.ts'
import { readAllAgain } from '../../api.ts'
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
  const [state, setState] = useState<{ loading: boolean; error?: string }>({ loading: false })
  const canAct = blocked === undefined && !state.loading

  async function run(work: () => Promise<string>) {
    if (state.loading) return
    setState({ loading: true })
    try {
      toast.success(await work())
      setAsking(undefined)
      setState({ loading: false })
    } catch (error) {
      const field = error instanceof CallError ? error.errors[0]?.message : undefined
      setState({ loading: false, error: messageOf(error) || field || '' })
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
      <Alert>{state.error}</Alert>
      {asking?.asks ? (
        <AskForm
          key={asking.key}
          action={asking}
          asks={asking.asks}
          loading={state.loading}
          onRefused={(error) => setState({ loading: false, error })}
          onSubmit={(typed) => void run(() => asking.run(typed))}
          onCancel={() => setAsking(undefined)}
        />
      ) : (
        <div className={styles.buttons}>
          {actions.map((action) => (
            <Button
              key={action.key}
              look={action.look ?? 'secondary'}
              disabled={!canAct}
              onClick={() => choose(action)}
            >
              {action.label} <kbd aria-hidden>{action.key}</kbd>
            </Button>
          ))}
          {claim && (
            <Button look="quiet" disabled={!canAct} onClick={claimIt}>
              {claimed ? 'Release' : 'Claim'} <kbd aria-hidden>c</kbd>
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

interface AskFormProps {
  action: Action
  asks: Asked
  loading: boolean
  /** Called with why the input can't be used. */
  onRefused: (why: string) => void
  onSubmit: (typed: string) => void
  onCancel: () => void
}

/** The field of an action that needs input. */
function AskForm({ action, asks, loading, onRefused, onSubmit, onCancel }: AskFormProps) {
  const [typed, setTyped] = useState('')
  /** The amount that was odd, in dollars: it counts only once it has been typed again. */
  const [doubted, setDoubted] = useState<number>()

  /** Returns why the input can't be used, as text. An odd amount is asked for again. */
  function refusal(): string | undefined {
    if (typed.trim() === '') return errorText(asks.label, 'must not be empty')
    if (asks.kind !== 'amount') return undefined
    const { amount, problem } = readUsd(typed)
    if (amount === undefined) return errorText(asks.label, problem)
    const warning = asks.warning?.(usdToNumber(amount))
    if (warning === undefined || doubted === usdToNumber(amount)) return undefined
    setDoubted(usdToNumber(amount))
    setTyped('')
    return `${warning} If that's right, enter the amount again.`
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const why = refusal()
    if (why === undefined) onSubmit(typed.trim())
    else onRefused(why)
  }

  const field = { label: asks.label, hint: asks.hint, autoFocus: true, value: typed }
  return (
    <form
      className={styles.ask}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel()
      }}
    >
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
          {asks.kind === 'amount' && dollarsOf(typed) !== undefined ? withAmount(asks.verb, typed) : action.label}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
