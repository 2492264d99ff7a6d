import type { z } from 'zod/mini'
import { DeskAccountChange } from '#contract/desk/people/account-changes.ts'
import type { ExclusionBody } from '#contract/desk/people/users.ts'
import { type LockKind, PAGES, QUEUES } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import { excludeIn, liftMatch, requireMatch } from '../../../guardrails/index.ts'
import { locksOf } from '../../../identity/index.ts'
import { sql, type Tx } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { defineProposal } from '../../actions/define-proposal.ts'
import { refuseOwn } from '../../actions/items.ts'
import type { DeskDeps } from '../../deps.ts'
import { changeLocks } from '../../users/locks.ts'
import { lockUserOf } from '../../users/user-of.ts'

type Payload = { kind: 'unlock'; locks: LockKind[] } | { kind: 'exclude' } | { kind: 'lift-match'; exclusion: string }
type Kind = DeskAccountChange['kind']

const ROLES: Record<Kind, readonly OperatorRole[]> = {
  unlock: PAGES.users.locks,
  exclude: PAGES.users.excludes,
  'lift-match': PAGES.users.liftsMatches,
}

interface Columns {
  user_id: string
  email: string
  name: string
}

/** The database reads the subject too: what is to be done, and the user. */
const subjectOf = (kind: Kind, userId: bigint) => `${kind} ${userId}`
const userIdOf = (subject: string | null) => BigInt(must(must(subject).split(' ')[1]))

/** Changes of a trader's account that one operator proposed on the user's page. */
export const accountChanges = defineProposal({
  kind: 'account-changes',
  of: QUEUES['account-changes'].of,
  schema: DeskAccountChange,
  waiting: () => 'This has already been proposed. Ask another operator to decide.',
  roles: ({ kind }: Payload) => ROLES[kind],
  async lock(tx, { subject }) {
    const { id, email } = await lockUserOf(tx, userIdOf(subject))
    return { email, userId: id }
  },
  async apply(deps, tx, { subject, payload, reason, proposed_by }, who): Promise<object | undefined> {
    const userId = userIdOf(subject)
    if (payload.kind === 'unlock') {
      const locked = await locksOf(tx, userId)
      const locks = Object.fromEntries(payload.locks.filter((kind) => locked[kind]).map((kind) => [kind, false]))
      return changeLocks(deps, tx, { userId, locks, reason, operatorId: who.operatorId })
    }
    if (payload.kind === 'lift-match') {
      await liftMatch(deps.guardrails, tx, userId, BigInt(payload.exclusion))
      return undefined
    }
    const by = { operatorId: proposed_by, reason }
    const users = await excludeIn(deps.guardrails, tx, userId, { kind: 'exclusion', months: null }, by)
    return { users: users.map(String) }
  },
  facts: ({ payload }) => payload,
  list: {
    columns: sql`u.id::text as user_id, u.email, u.firstname || ' ' || u.lastname as name`,
    joins: sql`join users u on u.id = case r.kind when 'account-changes' then split_part(r.subject, ' ', 2)::bigint end`,
    user: 'u.id',
  },
  view: ({ payload, user_id, email, name }: Columns & { payload: Payload }) => ({
    kind: payload.kind,
    user_id,
    email,
    name,
    locks: payload.kind === 'unlock' ? payload.locks : [],
  }),
})

/** Locks a trader whom a proposal concerns. Throws `not_found`, `own_item`. */
async function lockOther(tx: Tx, who: WhoOperates, userId: bigint): Promise<bigint> {
  const { id, email } = await lockUserOf(tx, userId)
  refuseOwn(who, email)
  return id
}

/** Proposes to lift locks. Throws `not_found`, `own_item`, and `wrong_state` for what isn't locked. */
export const proposeUnlock = (
  deps: DeskDeps,
  who: WhoOperates,
  userId: bigint,
  { locks, reason }: { locks: readonly LockKind[]; reason: string },
) =>
  accountChanges.propose(deps, who, async (tx) => {
    const id = await lockOther(tx, who, userId)
    const locked = await locksOf(tx, id)
    if (!locks.every((kind) => locked[kind])) throw new Problem('wrong_state', "This isn't locked.")
    const payload: Payload = { kind: 'unlock', locks: [...new Set(locks)] }
    return { subject: subjectOf('unlock', id), payload, reason, userId: id }
  })

/** Proposes to lift another person's exclusion from an account. Throws `not_found`, `own_item`, `wrong_state`. */
export const proposeMatchLift = (
  deps: DeskDeps,
  who: WhoOperates,
  userId: bigint,
  { exclusion, reason }: { exclusion: bigint; reason: string },
) =>
  accountChanges.propose(deps, who, async (tx) => {
    const id = await lockOther(tx, who, userId)
    await requireMatch(tx, id, exclusion)
    const payload: Payload = { kind: 'lift-match', exclusion: String(exclusion) }
    return { subject: subjectOf('lift-match', id), payload, reason, userId: id }
  })

/** Days of the time-out that protects the trader until another operator decides. */
const MEANWHILE_DAYS = 7

/** Whether an operator may record this break alone: support may not, if it's permanent. */
export const needsSecond = (who: WhoOperates, length: z.output<typeof ExclusionBody>): boolean =>
  length.kind === 'exclusion' && length.months === null && !PAGES.users.locks.some((role) => who.roles.includes(role))

/** Proposes a permanent exclusion that the trader asked for, and starts a time-out. Throws `not_found`, `own_item`, `wrong_state`. */
export const proposeExclusion = (deps: DeskDeps, who: WhoOperates, userId: bigint, reason: string) =>
  accountChanges.propose(
    deps,
    who,
    async (tx) => {
      const id = await lockOther(tx, who, userId)
      return { subject: subjectOf('exclude', id), payload: { kind: 'exclude' }, reason, userId: id }
    },
    (tx) =>
      excludeIn(
        deps.guardrails,
        tx,
        userId,
        { kind: 'time_out', days: MEANWHILE_DAYS },
        { operatorId: who.operatorId, reason },
      ),
  )
