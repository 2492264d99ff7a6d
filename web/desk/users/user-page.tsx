import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Flag } from 'lucide-react'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import type { DeskUserPicture } from '#contract/desk/people/users.ts'
import { PAGES, QUEUES, type Queue } from '#contract/desk/terms.ts'
import type { DepositStatus, WithdrawalStatus } from '#contract/terms.ts'
import { problemOf } from '#web/client/index.ts'
import {
  Badge,
  Card,
  Choices,
  cx,
  Fact,
  Facts,
  formatCoin,
  formatDateTime,
  formatPlan,
  formatUsd,
  formatUsdSigned,
  ListError,
  MoneyStatus,
  Page,
  SkeletonRows,
} from '#web/ui/index.ts'
import { OFTEN_MS, queryOf } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import { useMay } from '../session.ts'
import { UserAdjust } from './user-adjust.tsx'
import { UserFactor } from './user-factor.tsx'
import { UserGuardrails } from './user-guardrails.tsx'
import { UserLedger } from './user-ledger.tsx'
import { UserLocks } from './user-locks.tsx'
import { UserNotes } from './user-notes.tsx'
import styles from './user-page.module.css'
import { IdentityBadge, UserState } from './users.tsx'

const TABS = ['Overview', 'Ledger', 'Requests', 'Sessions', 'Notes'] as const
type Tab = (typeof TABS)[number]

/** Everything about a user. */
export default function UserPage() {
  const { id = '' } = useParams()
  const user = useQuery(queryOf('GET /desk/users/:id', { params: { id } }, OFTEN_MS))
  const [tab, setTab] = useState<Tab>('Overview')
  const seesTrades = useMay(PAGES.trades.sees)
  const data = user.data?.data
  const problem = problemOf(user)
  if (!data) return problem ? <ListError {...problem} /> : <SkeletonRows rows={8} label="Loading the user" />
  return (
    <Page
      title={data.email}
      intro={
        <span className={styles.badges}>
          {data.name} <UserState user={data} /> <IdentityBadge user={data} />{' '}
          {data.own && <Badge>Your own account</Badge>}
        </span>
      }
      actions={
        <span className={styles.links}>
          <Link to="/users">
            <ArrowLeft aria-hidden /> All users
          </Link>
          {seesTrades && <Link to={`/trades?user=${data.id}`}>Trades</Link>}
        </span>
      }
    >
      <DeskTitle>{data.email}</DeskTitle>
      {data.flags.length > 0 && (
        <ul className={styles.flags}>
          {data.flags.map((flag) => (
            <li key={flag}>
              <Flag aria-hidden /> {flag}
            </li>
          ))}
        </ul>
      )}
      <div className={styles.tabs}>
        <Choices
          label="Section"
          quiet
          value={tab}
          onChange={setTab}
          options={TABS.map((value) => ({ value, label: value }))}
        />
      </div>
      {tab === 'Overview' && <Overview user={data} />}
      {tab === 'Ledger' && <UserLedger userId={data.id} />}
      {tab === 'Requests' && <Requests user={data} />}
      {tab === 'Sessions' && <Sessions user={data} />}
      {tab === 'Notes' && <UserNotes userId={data.id} notes={data.notes} />}
    </Page>
  )
}

function Overview({ user }: { user: DeskUserPicture }) {
  const mayLock = useMay(PAGES.users.locks)
  const mayAdjust = useMay(QUEUES.adjustments.acts)
  const mayExclude = useMay(PAGES.users.excludes)
  const mayReset = useMay(QUEUES['factor-resets'].acts)
  return (
    <div className={styles.grid}>
      <Card title="Accounts">
        <Accounts accounts={user.accounts} />
        {mayAdjust && !user.own && <UserAdjust userId={user.id} />}
      </Card>
      <Card title="Profile" className={cx(styles.tall)}>
        <Profile user={user} />
      </Card>
      <Card title="Locks">
        <UserLocks user={user} may={mayLock && !user.own} />
      </Card>
      <Card title="Limits and breaks">
        <UserGuardrails user={user} may={mayExclude && !user.own} />
      </Card>
      <Card title="Second factor">
        <UserFactor user={user} may={mayReset && !user.own} />
      </Card>
    </div>
  )
}

function Accounts({ accounts }: { accounts: DeskUserPicture['accounts'] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label="Real and demo account">
      <table className={styles.accounts}>
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col">Balance</th>
            <th scope="col">Staked</th>
            <th scope="col">On hold</th>
            <th scope="col">Owed</th>
          </tr>
        </thead>
        <tbody>
          {(['real', 'demo'] as const).map((book) => (
            <tr key={book}>
              <th scope="row">{book}</th>
              <td>{formatUsd(accounts[book].balance)}</td>
              <td>{formatUsd(accounts[book].escrow)}</td>
              <td>{formatUsd(accounts[book].hold)}</td>
              <td>{formatUsd(accounts[book].owed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Profile({ user }: { user: DeskUserPicture }) {
  return (
    <Facts>
      <Fact name="Number">{user.id}</Fact>
      <Fact name="Phone">{user.phone || '–'}</Fact>
      <Fact name="Date of birth">{user.date_of_birth || '–'}</Fact>
      <Fact name="Gender">{user.gender || '–'}</Fact>
      <Fact name="Address">
        {[user.address, user.city, user.state, user.country].filter(Boolean).join(', ') || '–'}
      </Fact>
      <Fact name="Plan">{formatPlan(user.trading_plan)}</Fact>
      <Fact name="Referral code">{user.referral_code}</Fact>
      {user.referred_by && (
        <Fact name="Referred by">
          <Link to={`/users/${user.referred_by.id}`}>{user.referred_by.email}</Link>
        </Fact>
      )}
      <Fact name="Registered">{formatDateTime(user.created_at)}</Fact>
    </Facts>
  )
}

function Requests({ user }: { user: DeskUserPicture }) {
  return (
    <div className={styles.stack}>
      <Rows
        queue="deposits"
        userId={user.id}
        rows={user.deposits.map((one) => ({
          ...one,
          words: one.currency && one.coin_amount !== null ? formatCoin(one.coin_amount, one.currency) : 'Card',
          amount: formatUsd(one.amount ?? one.usd_amount),
        }))}
      />
      <Rows
        queue="withdrawals"
        userId={user.id}
        rows={user.withdrawals.map((one) => ({
          ...one,
          words: one.wallet,
          amount: formatUsd(one.amount),
        }))}
      />
      <Rows
        queue="identity-checks"
        userId={user.id}
        rows={user.identity_checks.map((one) => ({
          ...one,
          words: one.method.replaceAll('_', ' '),
          amount: '',
        }))}
      />
      <Rows
        queue="plan-requests"
        userId={user.id}
        rows={user.plan_requests.map((one) => ({
          ...one,
          words: `${formatPlan(one.from_plan)} to ${formatPlan(one.plan)}`,
          amount: formatUsd(one.price),
        }))}
      />
      <Rows
        queue="adjustments"
        userId={user.id}
        rows={user.adjustments.map((one) => ({
          ...one,
          words: `${one.book}: ${one.reason}`,
          amount: formatUsdSigned(one.amount),
        }))}
      />
    </div>
  )
}

interface RequestRow {
  id: string
  words: string
  amount: string
  status: DepositStatus | WithdrawalStatus
  created_at: string
}

/** A user's items in a queue, linked to it. */
function Rows({ queue, userId, rows }: { queue: Queue; userId: string; rows: RequestRow[] }) {
  return (
    <Card title={QUEUES[queue].title}>
      {rows.length === 0 && <p className={styles.quiet}>None.</p>}
      <ul className={styles.rows}>
        {rows.map((row) => (
          <li key={row.id}>
            <Link to={`/${queue}/${row.id}?user=${userId}`} className={styles.row}>
              <span className={styles.words}>{row.words}</span>
              <span className={styles.amount}>{row.amount}</span>
              <MoneyStatus status={row.status} />
              <span className={styles.quiet}>{formatDateTime(row.created_at)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Sessions({ user }: { user: DeskUserPicture }) {
  return (
    <Card>
      {user.sessions.length === 0 && <p className={styles.quiet}>None.</p>}
      <ul className={styles.rows}>
        {user.sessions.map((session) => (
          <li key={session.id} className={styles.row}>
            <span className={styles.words}>
              {session.device}, {session.address}
            </span>
            {session.ended_at ? (
              <Badge>{(session.end_reason ?? 'ended').replaceAll('_', ' ')}</Badge>
            ) : (
              <Badge tone="up">Active</Badge>
            )}
            <span className={styles.quiet}>
              {formatDateTime(session.created_at)} to {formatDateTime(session.last_seen_at)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
