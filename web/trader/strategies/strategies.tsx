import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, List, Pencil, Plus, Trash2, Webhook, Workflow } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'
import { OWN_STRATEGIES, type OwnStrategy } from '#contract/trading/own-strategies.ts'
import { problemOf, queryOf, timeZone } from '#web/api/index.ts'
import {
  Alert,
  Button,
  buttonClass,
  Card,
  EmptyState,
  formatDateTime,
  ListError,
  Page,
  SkeletonRows,
} from '#web/ui/index.ts'
import { Editor } from './editor.tsx'
import { EXAMPLES, NO_RULE } from './examples.ts'
import { type Action, SignalActions, useActions } from './signals/actions.tsx'
import { Published, SignalBadges } from './signals/badges.tsx'
import { Details } from './signals/details.tsx'
import { Outside } from './signals/outside.tsx'
import styles from './strategies.module.css'

const LIST = queryOf('GET /strategies')

/** The trader's own strategies: the list, the form of one of them or of a new one, or the signals of one. */
export function Strategies() {
  const [search, setSearch] = useSearchParams()
  const { data, ...query } = useQuery({ ...LIST, staleTime: 0 })
  const problem = problemOf(query)
  const [edited, shown, fresh] = [search.get('edit'), search.get('show'), search.get('new')]
  const done = () => setSearch({})
  if (fresh === 'outside')
    return (
      <Page title="Signals from outside" intro="Another program decides, and sends its signals to an address.">
        <Outside onCancel={done} onSaved={(id) => setSearch({ show: id })} />
      </Page>
    )
  if (fresh !== null) return <NewRule key={fresh} example={Number(fresh) - 1} onDone={done} />
  if (problem && !data) return <ListError {...problem} message="We couldn't load your strategies." />
  const chosen = edited ?? shown
  if (!data || (chosen !== null && query.isFetching && !query.isFetchedAfterMount))
    return (
      <Page title="My strategies">
        <SkeletonRows rows={6} label="Loading your strategies" />
      </Page>
    )
  const strategy = data.data.find(({ id }) => id === chosen)
  if (strategy && shown !== null) return <Shown key={strategy.id} strategy={strategy} />
  if (strategy?.rule) {
    const { rule } = strategy
    return (
      <Page title="Change strategy" intro={`Version ${strategy.version}. A changed rule is a new version.`}>
        <Editor key={strategy.id} start={{ ...strategy, rule }} strategy={strategy} onDone={done} />
      </Page>
    )
  }
  return (
    <Page
      title="My strategies"
      intro="Your own rules and signals. Nobody else sees a strategy unless you publish it."
      actions={
        data.data.length > 0 && (
          <div className={styles.buttons}>
            <Link className={buttonClass({ look: 'secondary' })} to="?new=outside">
              <Webhook aria-hidden /> Signals from outside
            </Link>
            <Link className={buttonClass()} to="?new">
              <Plus aria-hidden /> New strategy
            </Link>
          </div>
        )
      }
    >
      {chosen !== null && <Alert kind="warning">This strategy isn't there any more. Choose another one.</Alert>}
      <AllStrategies strategies={data.data} />
    </Page>
  )
}

function NewRule({ example: at, onDone }: { example: number; onDone: () => void }) {
  const example = EXAMPLES[at]
  const rest = { symbols: ['BTCUSDT'], zone: timeZone() }
  return (
    <Page title="New strategy" intro="Nobody else sees it unless you publish it.">
      <Editor
        start={example ? { ...example, ...rest } : { name: '', duration: 300, rule: NO_RULE, ...rest }}
        onDone={onDone}
      />
    </Page>
  )
}

/** One strategy with its signals. */
function Shown({ strategy }: { strategy: OwnStrategy }) {
  const { act, dialog } = useActions()
  return (
    <Page
      title="Signals of a strategy"
      actions={
        <Link className={buttonClass({ look: 'secondary' })} to="?">
          <ArrowLeft aria-hidden /> All strategies
        </Link>
      }
    >
      <div className={styles.bar}>
        <div className={styles.words}>
          <p className={styles.name}>
            {strategy.name} <SignalBadges strategy={strategy} />
          </p>
          <p className={styles.sentence}>{strategy.sentence}</p>
          <Published strategy={strategy} />
        </div>
        <div className={styles.buttons}>
          <SignalActions strategy={strategy} onAct={act(strategy)} />
        </div>
      </div>
      <Details strategy={strategy} />
      {dialog}
    </Page>
  )
}

function AllStrategies({ strategies }: { strategies: readonly OwnStrategy[] }) {
  const { act, dialog } = useActions()
  if (strategies.length === 0)
    return (
      <Card>
        <EmptyState
          icon={<Workflow />}
          title="No strategies yet"
          actions={
            <>
              <Link className={buttonClass()} to="?new">
                Build your first strategy
              </Link>
              <Link className={buttonClass({ look: 'secondary' })} to="?new=outside">
                Use signals from outside
              </Link>
            </>
          }
        >
          Say when to buy and when to sell, with prices, indicators and times. You read the rule back as a sentence, and
          try it on past prices before you save it.
        </EmptyState>
        <Examples />
      </Card>
    )
  return (
    <Card>
      <ul className={styles.list}>
        {strategies.map((strategy) => (
          <Row key={strategy.id} strategy={strategy} onAct={act(strategy)} />
        ))}
      </ul>
      <p className={styles.note}>
        {strategies.length} of {OWN_STRATEGIES.active} strategies, {strategies.filter((one) => one.signals_on).length}{' '}
        of {OWN_STRATEGIES.recorded} with signals on. Signals are recorded before their outcome in the public chain,
        sealed so that nobody else can read them unless you publish the strategy. Automatic trades can only follow a
        strategy whose signals are on.
      </p>
      {dialog}
    </Card>
  )
}

function Row({ strategy, onAct }: { strategy: OwnStrategy; onAct: (action: Action) => void }) {
  const { id, name, kind, sentence, version, changed_at } = strategy
  const small = buttonClass({ look: 'secondary', size: 'small' })
  return (
    <li className={styles.row}>
      <div className={styles.words}>
        <p className={styles.name}>
          {name} <SignalBadges strategy={strategy} />
        </p>
        <p className={styles.sentence}>{sentence}</p>
        <p className={styles.note}>
          Version {version}, {formatDateTime(changed_at)}
        </p>
        <Published strategy={strategy} />
      </div>
      <div className={styles.buttons}>
        {kind === 'rule' && (
          <Link className={small} to={`?edit=${id}`} aria-label={`Change ${name}`}>
            <Pencil aria-hidden /> Change
          </Link>
        )}
        <Link className={small} to={`?show=${id}`} aria-label={`Signals of ${name}`}>
          <List aria-hidden /> Signals
        </Link>
        <SignalActions strategy={strategy} onAct={onAct} />
        <Button look="quiet" size="small" aria-label={`Archive ${name}`} onClick={() => onAct('archive')}>
          <Trash2 aria-hidden /> Archive
        </Button>
      </div>
    </li>
  )
}

function Examples() {
  return (
    <section className={styles.examples} aria-label="Examples to begin with">
      <h2 className={styles.name}>Or begin with an example</h2>
      <ul className={styles.cards}>
        {EXAMPLES.map(({ name, idea }, at) => (
          <li key={name}>
            <Link className={styles.example} to={`?new=${at + 1}`}>
              <span className={styles.name}>{name}</span>
              <span className={styles.note}>{idea}</span>
            </Link>
          </li>
        ))}
      </ul>
      <p className={styles.note}>Examples show what conditions can do. They don't promise a profit: back-test them.</p>
    </section>
  )
}
