import { Link } from 'react-router'
import type { DeskExclusionMatch } from '#contract/desk/people/exclusion-matches.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { Alert, Fact, Facts, formatDateTime, formatUsd } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { PersonFact } from '../../parts/person-fact.tsx'
import { type Action, approval, personOf, rejection } from '../screen/item.ts'
import { QueueScreen } from '../screen/queue-screen.tsx'
import { SecondOperator } from '../screen/second-operator.tsx'

/** Accounts on hold that look like those of self-excluded traders. */
export default function ExclusionMatches() {
  return (
    <QueueScreen
      queue="exclusion-matches"
      line={(match) => ({ words: `Like ${match.excluded.email}`, figure: formatUsd(match.balance) })}
      detail={(match) => (
        <>
          {match.lift && (
            <>
              <Alert kind="warning">
                {match.lift.email} proposed to lift the hold: {match.lift.reason} A second compliance operator decides.
              </Alert>
              <SecondOperator roles={PAGES.users.liftsMatches} by={match.lift.operator_id} />
            </>
          )}
          <Facts>
            <PersonFact {...match} />
            <Fact name="Looks like">
              <Link to={`/users/${match.excluded.user_id}`}>{personOf(match.excluded)}</Link>
            </Fact>
            <Fact name="Excluded until">
              {match.excluded.until ? formatDateTime(match.excluded.until) : 'Permanently'}
            </Fact>
            <Fact name="In common">{match.why.join('. ')}</Fact>
            <Fact name="Identity">{match.identity ?? 'No ID'}</Fact>
            <Fact name="On hold since">{formatDateTime(match.created_at)}</Fact>
            <Fact name="Balance">{formatUsd(match.balance)}</Fact>
            <Fact name="Pending deposits">
              {match.pending_deposits === 0 ? 'None' : `${match.pending_deposits}, ${formatUsd(match.pending_amount)}`}
            </Fact>
            {match.kept && (
              <Fact name="Kept on hold">
                {match.kept.email}, {formatDateTime(match.kept.at)}: {match.kept.reason}
              </Fact>
            )}
          </Facts>
        </>
      )}
      blocked={(match, me) =>
        match.lift?.operator_id === me ? 'You proposed to lift this. A second compliance operator decides.' : undefined
      }
      actions={actionsOf}
    />
  )
}

function actionsOf(match: DeskExclusionMatch): Action[] {
  const { id, email, user_id, lift } = match
  if (lift) {
    const params = { id: lift.id }
    return [
      approval(`to lift the hold of ${personOf(match)}`, async () => {
        await call('POST /desk/account-changes/:id/approve', { params })
        return `${email} can deposit and trade again.`
      }),
      rejection(async (reason) => {
        await call('POST /desk/account-changes/:id/reject', { params, body: { reason } })
        return 'Rejected. The account stays on hold.'
      }),
    ]
  }
  if (match.status !== 'Open') return []
  return [
    {
      key: 's',
      label: 'Same person',
      look: 'primary',
      asks: { label: 'How you know', kind: 'long', hint: 'The account stays on hold, and its trader is notified.' },
      run: async (reason) => {
        await call('POST /desk/exclusion-matches/:id/keep', { params: { id }, body: { reason } })
        return `${email} stays on hold.`
      },
    },
    {
      key: 'l',
      label: 'Another person',
      asks: {
        label: "Why they're different people",
        kind: 'long',
        hint: 'Compare the IDs of both accounts. A second compliance operator decides.',
      },
      run: async (reason) => {
        await call('POST /desk/users/:id/match-lifts', {
          params: { id: user_id ?? '' },
          body: { exclusion: id, reason },
        })
        return 'Proposed. A second compliance operator decides.'
      },
    },
  ]
}
