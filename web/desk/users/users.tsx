import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { DeskUser } from '#contract/desk/people/users.ts'
import { Badge, CardLine, Field, formatDate, formatPlan, formatUsd } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { Filters } from '../parts/filters.tsx'
import { InDays, useDays } from '../parts/in-days.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { useLater } from '../parts/use-later.ts'

/** All users. */
export default function Users() {
  const [params] = useSearchParams()
  const [typed, setTyped] = useState(params.get('q') ?? '')
  const q = useLater(typed.trim(), 250)
  const navigate = useNavigate()
  const [traded, setTraded] = useDays('traded')
  return (
    <ListPage<DeskUser>
      title="Users"
      of="user"
      path="/desk/users"
      filter={{ q, traded }}
      filters={
        <Filters>
          <Field
            label="Find"
            name="q"
            type="search"
            placeholder="E-mail, name, or any number"
            autoFocus
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <InDays label="Traded with real money" value={traded} onChange={setTraded} />
        </Filters>
      }
      read={(query, signal) => call('GET /desk/users', { query: query as { traded: '1' }, signal })}
      keyOf={(user) => user.id}
      columns={[
        { head: 'User', kind: 'name', cell: (user) => user.email },
        { head: 'Name', cell: (user) => user.name },
        { head: 'Country', cell: (user) => user.country || '–' },
        { head: 'Identity', cell: (user) => <IdentityBadge user={user} /> },
        { head: 'Plan', cell: (user) => formatPlan(user.trading_plan) },
        { head: 'Real', kind: 'figure', cell: (user) => formatUsd(user.balance) },
        { head: 'Demo', kind: 'figure', cell: (user) => formatUsd(user.demo_balance) },
        { head: 'Registered', kind: 'quiet', cell: (user) => formatDate(user.created_at) },
        { head: 'State', cell: (user) => <UserState user={user} /> },
      ]}
      card={(user) => (
        <>
          <CardLine>
            <span>{user.email}</span>
            <span>{formatUsd(user.balance)}</span>
          </CardLine>
          <CardLine quiet>
            <span>{user.name}</span>
            <UserState user={user} />
          </CardLine>
        </>
      )}
      onOpen={(user) => navigate(`/users/${user.id}`)}
      openLabel={(user) => `Open ${user.email}`}
    />
  )
}

/** The state of the user's identity check. */
export function IdentityBadge({ user }: { user: Pick<DeskUser, 'identity'> }) {
  if (!user.identity) return <Badge>No ID</Badge>
  const tone = user.identity === 'Approved' ? 'up' : user.identity === 'Rejected' ? 'down' : 'accent'
  return <Badge tone={tone}>ID {user.identity.toLowerCase()}</Badge>
}

const LOCKED = { trading: 'trading', deposits: 'deposits', withdrawals: 'withdrawals', sign_in: 'sign-in' } as const

/** The account's state: closed, locked, or whether its e-mail is confirmed. */
export function UserState({ user }: { user: Pick<DeskUser, 'locks' | 'ended_at' | 'email_verified'> }) {
  if (user.ended_at) return <Badge>Closed</Badge>
  const locked = (Object.keys(LOCKED) as (keyof typeof LOCKED)[]).filter((kind) => user.locks[kind])
  if (locked.length > 0) return <Badge tone="down">Locked: {locked.map((kind) => LOCKED[kind]).join(', ')}</Badge>
  return user.email_verified ? <Badge tone="up">Confirmed</Badge> : <Badge tone="warn">Not confirmed</Badge>
}
