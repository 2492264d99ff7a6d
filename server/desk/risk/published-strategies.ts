import type { DeskPublishedStrategy } from '#contract/desk/markets/published-strategies.ts'
import { sentenceOf, withdrawByOperator } from '../../own-strategies/index.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { inOrder, isAfter, isoOf, type List, type Page, readList, where } from '../lists/read.ts'

interface PublishedRow {
  id: string
  name: string
  version: number
  rule: unknown
  symbol_ids: number[]
  duration_seconds: number
  zone: string
  user_id: string
  email: string
  published_at: string
  followers_real: number
  followers_demo: number
}

const publishedRows = (name: string | undefined, page: Page): List<PublishedRow> => sql`
  select s.id::text, p.name, v.version, v.rule, v.symbol_ids, v.duration_seconds, v.zone, u.id::text as user_id, u.email,
    p.published_at, f.real as followers_real, f.demo as followers_demo
  from published_strategies p join own_strategies s on s.id = p.strategy_id
  join own_strategy_versions v on v.strategy_id = s.id and v.version = s.version
  join users u on u.id = s.user_id
  cross join lateral (
    select (count(*) filter (where a.mode = 'real'))::int as real, (count(*) filter (where a.mode = 'demo'))::int as demo
    from followed_strategies f join automations a using (account_id)
    where f.strategy = 'own-' || s.id and a.state = 'Running'
  ) f
  where ${where(
    sql`p.withdrawn_at is null`,
    name !== undefined && sql`strpos(lower(p.name), lower(${name})) > 0`,
    isAfter('s.id', page),
  )} ${inOrder('s.id', page)}`

/** Lists what traders have published and not withdrawn, newest first. */
export async function publishedStrategies(
  { db, prices }: { db: Db; prices: Pick<DeskDeps['prices'], 'instruments'> },
  name: string | undefined,
  page: Page,
): Promise<DeskPublishedStrategy[]> {
  const rows = await readList(db, publishedRows(name, page))
  return rows.map(({ rule, symbol_ids, duration_seconds, zone, published_at, ...row }) => ({
    ...row,
    sentence: sentenceOf(prices.instruments, { rule, symbol_ids, duration_seconds, zone }),
    published_at: isoOf(published_at),
  }))
}

/** Withdraws a published strategy, with a notification of its author. Throws `not_found`. */
export function withdrawPublished(
  deps: Pick<DeskDeps, 'db' | 'notices' | 'ownStrategies'>,
  who: WhoOperates,
  { id, reason }: { id: bigint; reason: string },
): Promise<{ id: string }> {
  return audited(deps.db, who, async (tx) => {
    const { userId, name, publicName } = await withdrawByOperator(deps.ownStrategies, tx, id)
    await deps.notices.write(tx, {
      userId,
      kind: 'automatic',
      title: `Your strategy ${publicName} is no longer public`,
      text: `An operator has withdrawn it: ${reason} Its record stays, and you can still use it yourself as ${name}.`,
      path: '/user/strategies',
    })
    return {
      answer: { id: String(id) },
      entry: {
        action: 'withdraw',
        item: { kind: 'published-strategies', id: String(id) },
        userId,
        before: { name: publicName },
        after: { withdrawn: true },
        why: reason,
      },
    }
  })
}
