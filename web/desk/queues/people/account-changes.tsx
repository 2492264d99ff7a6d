import type { DeskAccountChange } from '#contract/desk/people/account-changes.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { Fact } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { ProposalScreen } from '../screen/proposal.tsx'

const LOCK_WORDS = { trading: 'trading', deposits: 'deposits', withdrawals: 'withdrawals', sign_in: 'sign-in' }

const wordsOf = ({ kind, locks }: DeskAccountChange): string =>
  kind === 'lift-match'
    ? "Lift another person's self-exclusion"
    : kind === 'exclude'
      ? 'Exclude permanently'
      : `Unlock ${locks.map((lock) => LOCK_WORDS[lock]).join(', ')}`

const DECIDED_BY = { unlock: PAGES.users.locks, exclude: PAGES.users.excludes, 'lift-match': PAGES.users.liftsMatches }

/** Changes of accounts: proposed on a user's page, decided here by another operator. */
export default function AccountChanges() {
  return (
    <ProposalScreen
      queue="account-changes"
      line={(item) => ({ words: `${wordsOf(item)}, by ${item.proposed_by.email}` })}
      facts={(item) => <Fact name="Change">{wordsOf(item)}</Fact>}
      decidedBy={({ kind }) => DECIDED_BY[kind]}
      decision={(item) => ({
        approve: () => call('POST /desk/account-changes/:id/approve', { params: { id: item.id } }),
        approved: `Approved: ${wordsOf(item).toLowerCase()} for ${item.email}.`,
        reject: (reason) =>
          call('POST /desk/account-changes/:id/reject', { params: { id: item.id }, body: { reason } }),
        rejected: 'Rejected. The account stays as it is.',
      })}
    />
  )
}
