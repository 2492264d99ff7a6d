import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { type DeskLever, NOTICE_LENGTH } from '#contract/desk/markets/levers.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { LENGTH } from '#contract/fields.ts'
import { LEVERS, type LeverKind } from '#contract/terms.ts'
import { problemOf } from '#web/client/index.ts'
import {
  Alert,
  Badge,
  Button,
  Card,
  Field,
  formatDateTime,
  ListError,
  Modal,
  Page,
  SkeletonRows,
  Textarea,
} from '#web/ui/index.ts'
import { call, OFTEN_MS, queryOf } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import { leverName } from '../parts/lever-name.ts'
import { useAction } from '../parts/use-action.ts'
import { useMay } from '../session.ts'
import styles from './emergency.module.css'

interface LeverWords {
  title: string
  /** What it does, and what it leaves alone. */
  does: string
  /** The button that pulls it. */
  pull: string
  /** While it isn't pulled. */
  idle: string
}

const WORDS: Record<LeverKind, LeverWords> = {
  'real-trading': {
    title: 'Real trading',
    does: 'No real order is accepted, and automatic trades with real money wait. Open trades run on and settle; demo trading continues.',
    pull: 'Stop real trading',
    idle: 'Running',
  },
  symbol: {
    title: 'One symbol',
    does: 'No order on it is accepted, real or demo. Its open trades run on and settle, and its chart stays.',
    pull: 'Stop a symbol',
    idle: 'All running',
  },
  withdrawals: {
    title: 'Withdrawals',
    does: 'None is approved or paid. Traders can still request and cancel, and you can reject.',
    pull: 'Pause withdrawals',
    idle: 'Running',
  },
  maintenance: {
    title: 'Maintenance notice',
    does: 'Every screen shows your sentence. It stops nothing.',
    pull: 'Show a notice',
    idle: 'None',
  },
}

type Target = { pull: LeverKind } | { release: DeskLever }

/** The emergency levers: each is pulled by one operator and released by two. */
export default function Emergency() {
  const levers = useQuery(queryOf('GET /desk/levers', undefined, OFTEN_MS))
  const [target, setTarget] = useState<Target>()
  const may = useMay(PAGES.emergency.acts)
  const problem = problemOf(levers)
  const pulled = levers.data?.data
  const close = () => setTarget(undefined)
  return (
    <Page
      title="Emergency"
      intro="One risk or finance operator stops something at once, on all nodes. Starting it again takes two."
    >
      <DeskTitle>Emergency</DeskTitle>
      {problem && <ListError {...problem} />}
      {levers.isPending && !problem && <SkeletonRows rows={4} label="Loading the levers" />}
      {pulled && (
        <div className={styles.levers}>
          {LEVERS.map((kind) => (
            <LeverCard
              key={kind}
              kind={kind}
              pulled={pulled.filter((lever) => lever.kind === kind)}
              may={may}
              onTarget={setTarget}
            />
          ))}
        </div>
      )}
      {!may && <p className={styles.more}>Risk and finance operators can stop and release.</p>}
      <Modal open={target !== undefined} onClose={close} title={target ? titleOf(target) : ''}>
        {target &&
          ('pull' in target ? (
            <PullForm kind={target.pull} onDone={close} />
          ) : (
            <ReleaseForm lever={target.release} onDone={close} />
          ))}
      </Modal>
    </Page>
  )
}

const titleOf = (target: Target) =>
  'pull' in target ? WORDS[target.pull].pull : `Release: ${leverName(target.release)}`

interface LeverCardProps {
  kind: LeverKind
  pulled: readonly DeskLever[]
  may: boolean
  onTarget: (target: Target) => void
}

function LeverCard({ kind, pulled, may, onTarget }: LeverCardProps) {
  const { title, does, pull, idle } = WORDS[kind]
  // Several symbols can be stopped, everything else once.
  const canPull = may && (kind === 'symbol' || pulled.length === 0)
  return (
    <Card title={title} className={styles.card}>
      <p className={styles.more}>{does}</p>
      {pulled.length === 0 && (
        <p>
          <Badge tone={kind === 'maintenance' ? 'neutral' : 'up'}>{idle}</Badge>
        </p>
      )}
      {pulled.map((lever) => (
        <Pulled key={lever.id} lever={lever} may={may} onRelease={() => onTarget({ release: lever })} />
      ))}
      {canPull && (
        <p>
          <Button look="danger" onClick={() => onTarget({ pull: kind })}>
            {pull}
          </Button>
        </p>
      )}
    </Card>
  )
}

function Pulled({ lever, may, onRelease }: { lever: DeskLever; may: boolean; onRelease: () => void }) {
  const name = leverName(lever)
  return (
    <div className={styles.pulled}>
      <p className={styles.state}>
        <Badge tone="down">{name}</Badge>
        <span className={styles.more}>
          since {formatDateTime(lever.pulled_at)}, by {lever.pulled_by.email}
        </span>
      </p>
      {lever.notice !== null && <p className={styles.words}>“{lever.notice}”</p>}
      <p className={styles.words}>Reason: {lever.why}</p>
      {lever.release ? (
        <p>
          {lever.release.proposed_by.email} proposed to release it.{' '}
          <Link to={`/lever-releases/${lever.release.id}`}>Open the proposal</Link>
        </p>
      ) : (
        may && (
          <p>
            <Button look="secondary" size="small" aria-label={`Propose to release: ${name}`} onClick={onRelease}>
              Propose to release
            </Button>
          </p>
        )
      )}
    </div>
  )
}

function PullForm({ kind, onDone }: { kind: LeverKind; onDone: () => void }) {
  const [symbol, setSymbol] = useState('')
  const [notice, setNotice] = useState('')
  const [typed, setTyped] = useState('')
  const { loading, error, act } = useAction()
  const reason = typed.trim()
  const isComplete =
    reason !== '' && (kind !== 'symbol' || symbol !== '') && (kind !== 'maintenance' || notice.trim() !== '')

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!isComplete) return
    const done = await act(async () => {
      const more = kind === 'symbol' ? { symbol } : kind === 'maintenance' ? { notice: notice.trim() } : {}
      await call('POST /desk/levers', { body: { kind, reason, ...more } })
      return `${leverName({ kind, symbol })}.`
    })
    if (done) onDone()
  }

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <p>{WORDS[kind].does} It takes effect at once. Releasing it takes two operators.</p>
      <Alert>{error}</Alert>
      {kind === 'symbol' && (
        <Field
          label="Symbol"
          placeholder="BTCUSDT"
          autoCapitalize="characters"
          maxLength={20}
          value={symbol}
          onChange={(event) => setSymbol(event.target.value.trim().toUpperCase())}
        />
      )}
      {kind === 'maintenance' && (
        <Textarea
          label="What everyone reads"
          hint={`One sentence, up to ${NOTICE_LENGTH} characters: what happens, and until when (UTC).`}
          rows={2}
          maxLength={NOTICE_LENGTH}
          value={notice}
          onChange={(event) => setNotice(event.target.value)}
        />
      )}
      <Reason hint="Operators see this, traders don't." value={typed} onType={setTyped} />
      <Buttons look="danger" submit={WORDS[kind].pull} loading={loading} disabled={!isComplete} onCancel={onDone} />
    </form>
  )
}

function ReleaseForm({ lever, onDone }: { lever: DeskLever; onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const { loading, error, act } = useAction()
  const reason = typed.trim()

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (reason === '') return
    const done = await act(async () => {
      await call('POST /desk/lever-releases', { body: { lever_id: lever.id, reason } })
      return 'Proposed. Another risk or finance operator decides.'
    })
    if (done) onDone()
  }

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <p>It stays as it is until another risk or finance operator approves.</p>
      <Alert>{error}</Alert>
      <Reason hint="The operator who decides sees this." value={typed} onType={setTyped} />
      <Buttons
        look="primary"
        submit="Propose to release"
        loading={loading}
        disabled={reason === ''}
        onCancel={onDone}
      />
    </form>
  )
}

function Reason({ hint, value, onType }: { hint: string; value: string; onType: (text: string) => void }) {
  return (
    <Textarea
      label="Reason"
      hint={hint}
      rows={2}
      maxLength={LENGTH.reason}
      value={value}
      onChange={(event) => onType(event.target.value)}
    />
  )
}

interface ButtonsProps {
  look: 'danger' | 'primary'
  submit: string
  loading: boolean
  disabled: boolean
  onCancel: () => void
}

const Buttons = ({ look, submit, loading, disabled, onCancel }: ButtonsProps) => (
  <div className={styles.state}>
    <Button type="submit" look={look} loading={loading} disabled={disabled}>
      {submit}
    </Button>
    <Button look="quiet" onClick={onCancel}>
      Cancel
    </Button>
  </div>
)
