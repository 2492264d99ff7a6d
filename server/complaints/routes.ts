import type { complaintsCalls } from '#contract/trading/complaints.ts'
import { parseRowId } from '#kernel/id.ts'
import { usdToNumber } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import type { Handlers } from '../platform/http/index.ts'
import { listReply, pageOf } from '../platform/http/page.ts'
import { remediesOf } from '../trading/index.ts'
import type { ComplaintsDeps } from './deps.ts'
import { fileComplaint } from './file-complaint.ts'
import { refusal } from './items.ts'
import { complaintsOf, newestAbout } from './store.ts'
import { toComplaints } from './view.ts'

/** The routes of `contract/trading/complaints.ts`. */
export function complaintsRoutes(deps: ComplaintsDeps): Handlers<keyof typeof complaintsCalls> {
  const { db } = deps
  return {
    'POST /complaints': async ({ who, body }) => {
      const { item, item_id, reason, text = '' } = body
      const data = await fileComplaint(deps, { userId: who.userId, item, itemId: item_id, reason, text })
      return { status: true, data }
    },

    'GET /complaints': async ({ who, query }) => {
      const page = pageOf(query, parseRowId)
      const rows = await complaintsOf(db, who.userId, page)
      const shown = await toComplaints(db, rows)
      return listReply(rows, page, ({ id }) => must(shown.get(id)), String)
    },

    'GET /complaints/of': async ({ who, query }) => {
      const about = { item: query.item, itemId: query.item_id }
      const refused = await refusal(db, who.userId, about, deps.clock.now())
      const row = await newestAbout(db, who.userId, about)
      const complaint = row ? must((await toComplaints(db, [row])).get(row.id)) : null
      const returned = about.item === 'trade' ? (await remediesOf(db, [about.itemId])).get(about.itemId) : undefined
      const remedy = complaint?.remedy ?? (returned === undefined ? undefined : usdToNumber(returned))
      return {
        status: true,
        data: {
          complaint,
          refused: refused?.message ?? null,
          ...(remedy === undefined ? {} : { remedy }),
        },
      }
    },
  }
}
