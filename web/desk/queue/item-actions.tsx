import { type FormEvent, useState } from 'react'
import { CallError, messageOf } from '#web/client/index.ts'
import { Alert, Button, Field, Textarea, toast } from '#web/ui/index.ts'
import { readAllAgain } from '../api.ts'
import type { Action } from './item.ts'
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
  const [typed, setTyped] = useState('')
  const [state, setState] = useState<{ loading: boolean; error?: string }>({ loading: false })
  const canAct = blocked === undefined && !state.loading

  async function run(work: () => Promise<string>) {
    if (state.loading) return
    setState({ loading: true })
    try {
      toast.success(await work())
      setAsking(undefined)
      setTyped('')
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
    setTyped('')
    if (action.asks) setAsking(action)
    else void run(() => action.run(''))
  }
  const claimIt = () => claim && blocked === undefined && void run(async () => (await claim()).message)

  useKeys({
    ...Object.fromEntries(actions.map((action) => [action.key, () => choose(action)])),
    c: () => claimIt(),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!asking) return
    if (typed.trim() === '') return setState({ loading: false, error: `${asking.asks?.label} must not be empty` })
    void run(() => asking.run(typed.trim()))
  }

  if (blocked !== undefined) return <p className={styles.blocked}>{blocked}</p>
  if (actions.length === 0 && !claim) return null
  return (
    <div className={styles.acts}>
      <Alert>{state.error}</Alert>
      {asking ? (
        <form
          className={styles.ask}
          noValidate
          onSubmit={submit}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setAsking(undefined)
          }}
        >
          {asking.asks?.kind === 'long' ? (
            <Textarea
              label={asking.asks.label}
              hint={asking.asks.hint}
              maxLength={500}
              autoFocus
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          ) : (
            <Field
              label={asking.asks?.label ?? ''}
              hint={asking.asks?.hint}
              {...(asking.asks?.kind === 'amount' ? { unit: '$', inputMode: 'decimal' as const } : {})}
              autoFocus
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
          <div className={styles.askActs}>
            <Button type="submit" look={asking.look ?? 'primary'} loading={state.loading}>
              {asking.label}
            </Button>
            <Button look="quiet" onClick={() => setAsking(undefined)}>
              Cancel
            </Button>
          </div>
        </form>
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
