import { type FormEvent, useState } from 'react'
import { LENGTH } from '#contract/fields.ts'
import { LIST_NAME_LENGTH, LISTS_MAX, type PriceListDocument, RULES_MAX } from '#contract/trading/offers.ts'
import type { DryRun } from '#contract/trading/price-lists.ts'
import { Alert, Button, Field, Textarea } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { useAction } from '../parts/use-action.ts'
import { DryRunView } from './dry-run-view.tsx'
import styles from './price-lists.module.css'
import { RuleFields } from './rule-fields.tsx'
import { newList, newRule, readLists, type TypedLists, typedOf } from './typed-lists.ts'

interface Tried {
  document: PriceListDocument
  run: DryRun
}

/** Changes price lists: tries them on past minutes, then proposes them. */
export function ListsEditor({ document, onDone }: { document: PriceListDocument; onDone: () => void }) {
  const [typed, setTyped] = useState(() => typedOf(document))
  const [reason, setReason] = useState('')
  const [wrong, setWrong] = useState<string>()
  /** What was tried last, until something changes. */
  const [tried, setTried] = useState<Tried>()
  const { loading, error, errorOf, act } = useAction()
  const change = (next: TypedLists) => {
    setTyped(next)
    setTried(undefined)
    setWrong(undefined)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const read = readLists(typed)
    if ('problem' in read) return setWrong(read.problem)
    if (!tried) {
      await act(async () => {
        const { data } = await call('POST /desk/price-lists/dry-run', { body: { document: read.document } })
        setTried({ document: read.document, run: data })
        return 'Tried on past prices.'
      })
      return
    }
    const done = await act(async () => {
      await call('POST /desk/price-lists', { body: { document: tried.document, reason: reason.trim() } })
      return 'Proposed. Another admin decides.'
    })
    if (done) onDone()
  }

  return (
    <form className={styles.editor} noValidate onSubmit={(event) => void submit(event)}>
      <ListFields typed={typed} onChange={change} />
      <Rules typed={typed} onChange={change} />
      {tried && <DryRunView run={tried.run} document={tried.document} />}
      {tried && (
        <Textarea
          label="Reason"
          hint="The admin who decides sees this."
          rows={2}
          maxLength={LENGTH.reason}
          value={reason}
          error={errorOf('reason')}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      <Alert>{wrong ?? error}</Alert>
      <div className={styles.buttons}>
        <Button type="submit" loading={loading} disabled={tried !== undefined && reason.trim() === ''}>
          {tried ? 'Propose the lists' : 'Try on past prices'}
        </Button>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

interface PartProps {
  typed: TypedLists
  onChange: (typed: TypedLists) => void
}

function ListFields({ typed, onChange }: PartProps) {
  const { lists } = typed
  const set = (key: string, change: object) =>
    onChange({ ...typed, lists: lists.map((one) => (one.key === key ? { ...one, ...change } : one)) })
  return (
    <>
      {lists.map(({ key, name, pairs }, at) => (
        <div key={key} className={styles.part}>
          <div className={styles.fields}>
            <Field
              label={`Name of list ${at + 1}`}
              autoComplete="off"
              maxLength={LIST_NAME_LENGTH}
              value={name}
              onChange={(event) => set(key, { name: event.target.value })}
            />
            <div className={styles.wide}>
              <Field
                label={`Odds of list ${at + 1}`}
                hint="Up to eight pairs of Buy and Sell: 75/3, 50/50"
                autoComplete="off"
                value={pairs}
                onChange={(event) => set(key, { pairs: event.target.value })}
              />
            </div>
          </div>
          {at > 0 && at === lists.length - 1 && (
            <div>
              <Button
                look="quiet"
                size="small"
                onClick={() => onChange({ ...typed, lists: lists.filter((one) => one.key !== key) })}
              >
                Remove list {at + 1}
              </Button>
            </div>
          )}
        </div>
      ))}
      <div>
        <Button
          look="secondary"
          size="small"
          disabled={lists.length >= LISTS_MAX}
          onClick={() => onChange({ ...typed, lists: [...lists, newList()] })}
        >
          Add a list
        </Button>
      </div>
    </>
  )
}

function Rules({ typed, onChange }: PartProps) {
  const { rules } = typed
  return (
    <>
      <p className={styles.hint}>The first rule that fits decides. Everything else has list 1.</p>
      {rules.map((rule, at) => (
        <RuleFields
          key={rule.key}
          rule={rule}
          at={at}
          lists={typed.lists}
          onChange={(change) =>
            onChange({ ...typed, rules: rules.map((one) => (one.key === rule.key ? { ...one, ...change } : one)) })
          }
          onRemove={() => onChange({ ...typed, rules: rules.filter((one) => one.key !== rule.key) })}
          onUp={() => onChange({ ...typed, rules: moved(rules, at) })}
        />
      ))}
      <div>
        <Button
          look="secondary"
          size="small"
          disabled={rules.length >= RULES_MAX}
          onClick={() => onChange({ ...typed, rules: [...rules, newRule()] })}
        >
          Add a rule
        </Button>
      </div>
    </>
  )
}

/** Returns the rules with this one before the one above it. */
const moved = <T,>(rules: readonly T[], at: number): T[] => [
  ...rules.slice(0, at - 1),
  ...rules.slice(at, at + 1),
  ...rules.slice(at - 1, at),
  ...rules.slice(at + 1),
]
