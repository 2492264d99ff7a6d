import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus, Trash2, Workflow } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { OWN_STRATEGIES, type OwnStrategy } from '#contract/trading/own-strategies.ts'
import { call, problemOf, queryClient, queryOf, timeZone, useRequest } from '#web/api/index.ts'
import {
  Alert,
  Badge,
  Button,
  buttonClass,
  Card,
  EmptyState,
  formatDateTime,
  ListError,
  Modal,
  Page,
  QuestionButtons,
  SkeletonRows,
  toast,
} from '#web/ui/index.ts'
import { Editor } from './editor.tsx'
import { EXAMPLES, NO_RULE } from './examples.ts'
import styles from './strategies.module.css'

const LIST = queryOf('GET /strategies')

/** The trader's own strategies: the list, and the form of one of them or of a new one. */
export function Strategies() {
  const [search, setSearch] = useSearchParams()
  const { data, ...query } = useQuery({ ...LIST, staleTime: 0 })
  const problem = problemOf(query)
  const [edited, fresh] = [search.get('edit'), search.get('new')]
  const done = () => setSearch({})
  if (fresh !== null) {
    const example = EXAMPLES[Number(fresh) - 1]
    const rest = { symbols: ['BTCUSDT'], zone: timeZone() }
    return (
      <Page title="New strategy" intro="Nobody else sees your strategies.">
        <Editor
          key={fresh}
          start={example ? { ...example, ...rest } : { name: '', duration: 300, rule: NO_RULE, ...rest }}
          onDone={done}
        />
      </Page>
    )
  }
  if (problem && !data) return <ListError {...problem} message="We couldn't load your strategies." />
  if (!data || (edited !== null && query.isFetching && !query.isFetchedAfterMount))
    return (
      <Page title="My strategies">
        <SkeletonRows rows={6} label="Loading your strategies" />
      </Page>
    )
  const strategy = data.data.find(({ id }) => id === edited)
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
      intro="Your own rules, when to buy and when to sell. Nobody else sees them."
      actions={
        data.data.length > 0 && (
          <Link className={buttonClass()} to="?new">
            <Plus aria-hidden /> New strategy
          </Link>
        )
      }
    >
      {edited !== null && <Alert kind="warning">This strategy isn't there any more. Choose another one.</Alert>}
      <List strategies={data.data} />
    </Page>
  )
}

function List({ strategies }: { strategies: readonly OwnStrategy[] }) {
  const [archived, setArchived] = useState<OwnStrategy>()
  if (strategies.length === 0)
    return (
      <Card>
        <EmptyState
          icon={<Workflow />}
          title="No strategies yet"
          actions={
            <Link className={buttonClass()} to="?new">
              Build your first strategy
            </Link>
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
          <Row key={strategy.id} strategy={strategy} onArchive={() => setArchived(strategy)} />
        ))}
      </ul>
      <p className={styles.note}>
        {strategies.length} of {OWN_STRATEGIES.active} strategies.
      </p>
      <Archive strategy={archived} onClose={() => setArchived(undefined)} />
    </Card>
  )
}

function Row({ strategy, onArchive }: { strategy: OwnStrategy; onArchive: () => void }) {
  const { id, name, kind, sentence, version, changed_at } = strategy
  return (
    <li className={styles.row}>
      <div className={styles.words}>
        <p className={styles.name}>
          {name} {kind === 'webhook' && <Badge tone="accent">Webhook</Badge>}
        </p>
        <p className={styles.sentence}>{sentence}</p>
        <p className={styles.note}>
          Version {version}, {formatDateTime(changed_at)}
        </p>
      </div>
      <div className={styles.buttons}>
        {kind === 'rule' && (
          <Link
            className={buttonClass({ look: 'secondary', size: 'small' })}
            to={`?edit=${id}`}
            aria-label={`Change ${name}`}
          >
            <Pencil aria-hidden /> Change
          </Link>
        )}
        <Button look="quiet" size="small" aria-label={`Archive ${name}`} onClick={onArchive}>
          <Trash2 aria-hidden /> Archive
        </Button>
      </div>
    </li>
  )
}

function Archive({ strategy, onClose }: { strategy: OwnStrategy | undefined; onClose: () => void }) {
  const { loading, error, run } = useRequest()
  const archive = () =>
    run(async () => {
      if (!strategy) return
      toast.success((await call('DELETE /strategies/:id', { params: { id: strategy.id } })).message)
      await queryClient.invalidateQueries({ queryKey: ['GET /strategies'] })
      onClose()
    })
  return (
    <Modal open={strategy !== undefined} onClose={onClose} title="Archive this strategy?">
      <p className={styles.name}>{strategy?.name}</p>
      <p className={styles.note}>
        It leaves your list, and you can't bring it back. You can build the same rule again.
      </p>
      <Alert>{error}</Alert>
      <QuestionButtons>
        <Button look="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button look="danger" loading={loading} onClick={() => void archive()}>
          Archive
        </Button>
      </QuestionButtons>
    </Modal>
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
