import { DeskIdentityCheck, type identityCheckCalls } from '#contract/desk/people/identity-checks.ts'
import { approveCheck, checkById, rejectCheck } from '../../../kyc/index.ts'
import { sql } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import {
  auditedItem,
  type ClaimColumns,
  claimJoin,
  findItem,
  itemFields,
  notFound,
  type Owner,
  withOwners,
} from '../../actions/items.ts'
import { audited } from '../../audit/audited.ts'
import type { DeskDeps } from '../../deps.ts'
import { personFlags } from '../../lists/flags.ts'
import { filtered, hasStatus, inOrder, isoOf, type List, type Page, type QueueFilter, where } from '../../lists/read.ts'
import type { Claimed } from '../queue.ts'

type CheckFilter = QueueFilter & { kind?: DeskIdentityCheck['kind'] | undefined }

interface IdentityCheckRow extends ClaimColumns {
  id: string
  user_id: string
  created_at: string
  kind: DeskIdentityCheck['kind']
  method: DeskIdentityCheck['method']
  changed_from: DeskIdentityCheck['changed_from']
  status: DeskIdentityCheck['status']
  reason: string | null
  decided_at: string | null
  superseded: boolean
  has_file: boolean
  date_of_birth: string | null
  address: string
  city: string
  state: string
  country: string
}

/** Selects identity checks, newest first. */
export const identityCheckRows = (filter: CheckFilter, page: Page): List<IdentityCheckRow> => sql`
  select i.id::text, i.user_id::text, i.created_at, i.kind, i.method, i.changed_from, i.status,
    i.reason, i.decided_at, i.superseded_at is not null as superseded, i.file is not null as has_file, u.date_of_birth,
    u.address, u.city, u.state, u.country, claim.*
  from identity_checks i join users u on u.id = i.user_id ${claimJoin('identity-checks', 'i.id')}
  where ${where(
    filter.status !== undefined &&
      sql`${hasStatus(sql`i.status`, filter.status)} and (i.status <> 'Pending' or (i.superseded_at is null and u.ended_at is null))`,
    filter.kind !== undefined && sql`i.kind = ${sql.lit(filter.kind)}`,
    filtered('i', { ...filter, status: undefined }, page),
  )}
  ${inOrder('i.id', page)}`

const toDeskIdentityCheck = (who: WhoOperates, row: IdentityCheckRow & Owner): DeskIdentityCheck => ({
  ...itemFields(who, row, row.id),
  flags: [
    ...(row.changed_from === null ? [] : ['Approved before: the profile was changed since, withdrawals are on hold']),
    ...personFlags(row),
  ],
  kind: row.kind,
  method: row.method,
  changed_from: row.changed_from,
  status: row.status,
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.decided_at === null ? {} : { decided_at: isoOf(row.decided_at) }),
  superseded: row.superseded,
  file_url: row.has_file ? `/api/desk/identity-checks/${row.id}/file` : null,
  date_of_birth: row.date_of_birth ?? '',
  address: row.address,
  city: row.city,
  state: row.state,
  country: row.country,
})

/** Identity checks and proofs of address. */
export const identityChecks: Claimed<'identity-checks', keyof typeof identityCheckCalls, IdentityCheckRow & Owner> = {
  name: 'identity-checks',
  schema: DeskIdentityCheck,
  find: (id) => sql`
    select u.id as "userId", u.email, i.status = 'Pending' and i.superseded_at is null and u.ended_at is null as open
    from identity_checks i join users u on u.id = i.user_id where i.id = ${id}`,
  pending: sql`
    select id, created_at, 0, user_id, false, replace(method::text, '_', ' ') from identity_checks
    where status = 'Pending' and superseded_at is null and user_id in (select id from users where ended_at is null)`,
  rows: (filter: CheckFilter, page) => withOwners(identityCheckRows(filter, page), page),
  view: (row, who) => toDeskIdentityCheck(who, row),
  actions: {
    approve: {
      async step(tx, { id }, { deps }) {
        await approveCheck(deps.kyc, tx, id)
        return { before: { status: 'Pending' }, after: { status: 'Approved' } }
      },
    },
    reject: {
      async step(tx, { id }, { deps, body: { reason } }) {
        await rejectCheck(deps.kyc, tx, id, reason)
        return { before: { status: 'Pending' }, after: { status: 'Rejected' }, why: reason }
      },
    },
  },
}

/** Returns the image of an identity check. Each view is audited. Throws `not_found`. */
export async function identityPicture(
  deps: Pick<DeskDeps, 'db' | 'files'>,
  who: WhoOperates,
  id: bigint,
): Promise<Buffer> {
  const item = await findItem(deps.db, identityChecks, id)
  const row = await checkById(deps.db, item.id)
  const picture = row?.file ? await deps.files.get(row.file) : undefined
  if (!picture) throw notFound()
  return audited(deps.db, who, async () => ({
    answer: picture,
    entry: { action: 'view', item: auditedItem('identity-checks', id), userId: item.userId },
  }))
}
