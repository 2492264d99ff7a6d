import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import type { DeskStrategy } from '#contract/desk/markets/automatic.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { LENGTH } from '#contract/fields.ts'
import { MODES } from '#contract/terms.ts'
import { problemOf } from '#web/client/index.ts'
import {
  Alert,
  Badge,
  Button,
  Choices,
  formatDateTime,
  formatUsd,
  ListError,
  Modal,
  Page,
  SkeletonRows,
  Textarea,
} from '#web/ui/index.ts'
import { call, OFTEN_MS, queryOf } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import { useAction } from '../parts/use-action.ts'
import { useMay } from '../session.ts'
import styles from './automatic.module.css'
import { FiguresTable, Quiet } from './figures-table.tsx'

type Target =
  | { to: 'on'; strategy: DeskStrategy['strategy']; name: string }
  | { to: 'off'; strategy: DeskStrategy['strategy'] | 'all'; name: string }

const ALL_OFF: Target = { to: 'off', strategy: 'all', name: 'all strategies' }

/** Followers, trades, open stakes and stops of each strategy, and the switch that stops following it. */
export default function Automatic() {
  const [mode, setMode] = useState<(typeof MODES)[number]>('real')
  const [target, setTarget] = useState<Target>()
  const may = useMay(PAGES.automatic.acts)
  const automatic = useQuery(queryOf('GET /desk/automatic', undefined, OFTEN_MS))
  const problem = problemOf(automatic)
  const rows = automatic.data?.data ?? []
  const allOff = rows.every((row) => row.switched_off)
  return (
    <Page
      title="Automatic trades"
      intro="Followers and trades of today (UTC). When a strategy is off, open trades settle as usual."
      actions={
        <div className={styles.switch}>
          <Choices
            label="Account"
            quiet
            value={mode}
            onChange={setMode}
            options={MODES.map((value) => ({ value, label: value }))}
          />
          {may && rows.length > 0 && !allOff && (
            <Button look="danger" onClick={() => setTarget(ALL_OFF)}>
              Switch off all
            </Button>
          )}
        </div>
      }
    >
      <DeskTitle>Automatic trades</DeskTitle>
      {problem && <ListError {...problem} />}
      {automatic.isPending && !problem && <SkeletonRows rows={4} label="Loading the strategies" />}
      {rows.length > 0 && <StrategiesTable rows={rows} mode={mode} may={may} onSwitch={setTarget} />}
      <Modal
        open={target !== undefined}
        onClose={() => setTarget(undefined)}
        title={`Switch ${target?.to ?? 'off'} ${target?.name ?? 'a strategy'}`}
      >
        {target && <SwitchForm target={target} onDone={() => setTarget(undefined)} />}
      </Modal>
    </Page>
  )
}

interface StrategiesTableProps {
  rows: readonly DeskStrategy[]
  mode: (typeof MODES)[number]
  may: boolean
  onSwitch: (target: Target) => void
}

function StrategiesTable({ rows, mode, may, onSwitch }: StrategiesTableProps) {
  const total = (of: (row: DeskStrategy['real']) => number) => rows.reduce((sum, row) => sum + of(row[mode]), 0)
  return (
    <FiguresTable label="Strategies">
      <thead>
        <tr>
          <th scope="col">Strategy</th>
          <th scope="col" data-text>
            Status
          </th>
          <th scope="col">Running</th>
          <th scope="col">Paused</th>
          <th scope="col">Trades today</th>
          <th scope="col">Open stakes</th>
          <th scope="col">Stops today</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.strategy}>
            <th scope="row">{row.name}</th>
            <td className={styles.status} data-text>
              <Status row={row} may={may} onSwitch={(to) => onSwitch({ ...row, to })} />
            </td>
            <td>{row[mode].running.toLocaleString('en-US')}</td>
            <td>{row[mode].paused.toLocaleString('en-US')}</td>
            <td>{row[mode].trades_today.toLocaleString('en-US')}</td>
            <td>
              {formatUsd(row[mode].open_stake)} <Quiet>in {row[mode].open_trades.toLocaleString('en-US')}</Quiet>
            </td>
            <td>{row[mode].stops_today.toLocaleString('en-US')}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">All</th>
          <td />
          <td>{total((row) => row.running).toLocaleString('en-US')}</td>
          <td>{total((row) => row.paused).toLocaleString('en-US')}</td>
          <td>{total((row) => row.trades_today).toLocaleString('en-US')}</td>
          <td>
            {formatUsd(total((row) => row.open_stake))}{' '}
            <Quiet>in {total((row) => row.open_trades).toLocaleString('en-US')}</Quiet>
          </td>
          <td>{total((row) => row.stops_today).toLocaleString('en-US')}</td>
        </tr>
      </tfoot>
    </FiguresTable>
  )
}

interface StatusProps {
  row: DeskStrategy
  may: boolean
  onSwitch: (to: Target['to']) => void
}

function Status({ row: { name, switched_off }, may, onSwitch }: StatusProps) {
  if (!switched_off) {
    return (
      <span className={styles.switch}>
        <Badge tone="up">On</Badge>
        {may && (
          <Button look="danger" size="small" aria-label={`Switch off ${name}`} onClick={() => onSwitch('off')}>
            Switch off
          </Button>
        )}
      </span>
    )
  }
  const { at, reason, restart } = switched_off
  return (
    <>
      <span className={styles.switch}>
        <Badge tone="down">Off</Badge>
        <Quiet>since {formatDateTime(at)}</Quiet>
        {may && !restart && (
          <Button look="secondary" size="small" aria-label={`Switch on ${name}`} onClick={() => onSwitch('on')}>
            Switch on
          </Button>
        )}
      </span>
      <p className={styles.why}>{reason}</p>
      {restart && (
        <p className={styles.why}>
          {restart.proposed_by.email} proposed to switch it on.{' '}
          <Link to={`/strategy-restarts/${restart.id}`}>Open the proposal</Link>
        </p>
      )}
    </>
  )
}

function SwitchForm({ target, onDone }: { target: Target; onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const { loading, error, errorOf, act } = useAction()
  const reason = typed.trim()

  async function submit(event: FormEvent) {
    event.preventDefault()
    const done = await act(async () => {
      if (target.to === 'on') {
        await call('POST /desk/strategy-restarts', { body: { strategy: target.strategy, reason } })
        return 'Proposed. Another risk operator decides.'
      }
      await call('POST /desk/automatic/switch-off', { body: { strategy: target.strategy, reason } })
      return target.strategy === 'all' ? 'All strategies are off.' : `${target.name} is off.`
    })
    if (done) onDone()
  }

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <p>
        {target.to === 'on'
          ? 'Another risk operator must approve it. Then its followers trade from its next signal.'
          : 'It takes effect at once, for real and demo accounts. Switching on again takes two risk operators.'}
      </p>
      <Alert>{error}</Alert>
      <Textarea
        label="Reason"
        error={errorOf('reason')}
        hint={target.to === 'on' ? 'The operator who decides sees this.' : 'Traders who follow it see this.'}
        maxLength={LENGTH.reason}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div className={styles.switch}>
        <Button
          type="submit"
          look={target.to === 'on' ? 'primary' : 'danger'}
          loading={loading}
          disabled={reason === ''}
        >
          {target.to === 'on' ? 'Propose to switch on' : 'Switch off'}
        </Button>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
