import type { DeskIdentityCheck } from '#contract/desk.ts'
import { type Db, sql } from '../platform/db.ts'
import type { WhoOperates } from '../platform/http/index.ts'
import { audited } from './audited.ts'
import type { DeskDeps } from './deps.ts'
import { flagsOfUsers } from './flags.ts'
import { type ClaimColumns, claimJoin, findItem, itemFields, notFound, parseNumber } from './items.ts'

interface Row extends ClaimColumns {
  id: bigint
  user_id: bigint
  email: string
  name: string
  created_at: Date
  method: DeskIdentityCheck['method']
  status: DeskIdentityCheck['status']
  reason: string | null
  decided_at: Date | null
  superseded: boolean
  file: string | null
  date_of_birth: string | null
  address: string
  city: string
  state: string
  country: string
}

export interface QueueFilter {
  status?: string | undefined
  user?: string | undefined
  id?: bigint
}

/** Identity checks, newest first. */
export async function identityChecks(
  db: Db,
  who: WhoOperates,
  filter: QueueFilter,
  page: { before: bigint | undefined; limit: number },
): Promise<DeskIdentityCheck[]> {
  const user = filter.user ? (parseNumber(filter.user) ?? 0n) : null
  const { rows } = await sql<Row>`
    select i.id, i.user_id, u.email, u.firstname || ' ' || u.lastname as name, i.created_at, i.method, i.status, i.reason,
      i.decided_at, i.superseded_at is not null as superseded, i.file, u.date_of_birth, u.address, u.city, u.state, u.country,
      claim.*
    from identity_checks i join users u on u.id = i.user_id ${claimJoin('identity-checks', 'i.id')}
    where (${filter.status ?? null}::text is null or (i.status = ${filter.status ?? null}
        and (i.status <> 'Pending' or i.superseded_at is null)))
      and (${user}::bigint is null or i.user_id = ${user})
      and (${filter.id ?? null}::bigint is null or i.id = ${filter.id ?? null})
      and (${page.before ?? null}::bigint is null or i.id < ${page.before ?? null})
    order by i.id desc limit ${page.limit}`.execute(db)
  const flags = await flagsOfUsers(
    db,
    rows.map((row) => row.user_id),
  )
  return rows.map((row) => ({
    ...itemFields(who, row, String(row.id)),
    flags: flags.get(row.user_id) ?? [],
    method: row.method,
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.decided_at === null ? {} : { decided_at: row.decided_at.toISOString() }),
    superseded: row.superseded,
    file_url: row.file === null ? null : `/api/desk/identity-checks/${row.id}/file`,
    date_of_birth: row.date_of_birth ?? '',
    address: row.address,
    city: row.city,
    state: row.state,
    country: row.country,
  }))
}

/** The picture of a check; that it was seen, and by whom, stands in the audit log. Throws `not_found`. */
export async function identityPicture(
  deps: Pick<DeskDeps, 'db' | 'files'>,
  who: WhoOperates,
  id: string,
): Promise<Buffer> {
  const item = await findItem(deps.db, 'identity-checks', id)
  const row = await deps.db.selectFrom('identity_checks').select('file').where('id', '=', item.id).executeTakeFirst()
  const picture = row?.file ? await deps.files.get(row.file) : undefined
  if (!picture) throw notFound()
  return audited(deps.db, who, async () => ({
    answer: picture,
    deed: { action: 'view', item: { kind: 'identity-checks', id }, userId: item.userId },
  }))
}
