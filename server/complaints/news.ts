import { type ComplaintFinding, type ComplaintItem, FINDINGS } from '#contract/terms.ts'
import { publicId } from '#kernel/id.ts'
import { dollars, subtract, type Usd } from '#kernel/money.ts'
import type { News } from '../notices/index.ts'
import type { ReturnedStakes } from '../trading/index.ts'

const PATH = '/user/complaints'
/** Nothing that a trader or an operator typed: e-mails say only what the server knows. */
const about = ({ item, item_id }: { item: ComplaintItem; item_id: bigint }) => `${item} ${publicId(item_id)}`

interface About {
  user_id: bigint
  item: ComplaintItem
  item_id: bigint
}

/** Notifications about complaints. */
export const complaintNews = {
  filed: (row: About & { due_at: Date }): News => ({
    userId: row.user_id,
    kind: 'account',
    title: 'We received your complaint',
    text: `We're checking the records of ${about(row)}. Two operators decide by ${row.due_at.toISOString().slice(0, 10)}.`,
    path: PATH,
    // They have just filed it.
    quiet: true,
  }),
  ruled: (row: About, { finding, returns }: { finding: ComplaintFinding; returns: boolean }): News => ({
    userId: row.user_id,
    kind: 'account',
    title: FINDINGS[finding].upheld ? 'Your complaint was upheld' : 'Your complaint was rejected',
    text: `Two operators decided about ${about(row)}. ${FINDINGS[finding].says}${returns ? ' Money is returned to your account.' : ''}`,
    path: PATH,
  }),
  returned: ({ userId, mode, trades, total, repaid }: ReturnedStakes): News => ({
    userId,
    kind: 'trade',
    title: trades === 1 ? 'Your loss on a trade was returned' : `Your losses on ${trades} trades were returned`,
    text: `A price that decided ${trades === 1 ? 'it' : 'them'} was ruled wrong. ${words(total, repaid, mode)} The results stay as they are.`,
    path: '/user/trade-history',
  }),
} satisfies Record<string, (...args: never[]) => News>

function words(total: Usd, repaid: Usd, mode: string): string {
  if (repaid === 0n) return `${dollars(total)} was added to your ${mode} account.`
  if (repaid === total) return `${dollars(total)} repaid your debt.`
  return `${dollars(repaid)} repaid your debt, and ${dollars(subtract(total, repaid))} was added to your ${mode} account.`
}
