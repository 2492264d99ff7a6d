import type { Asset, proofCalls } from '#contract/proof.ts'
import { MINUTE_MS } from '#kernel/time.ts'
import { atMost } from '../platform/at-most.ts'
import type { Db } from '../platform/db.ts'
import { sql } from '../platform/db.ts'
import { FileReply, type Handlers } from '../platform/http/index.ts'
import { listReply, pageOf } from '../platform/page.ts'
import type { RateLimits } from '../platform/rate-limit.ts'
import type { Instruments } from '../prices/index.ts'
import { dayDownloads } from './day-download.ts'
import { receiptOf, toCheckpoint } from './receipt.ts'
import { type StatementRow, solvencyOf, toStatement } from './solvency.ts'

export interface ProofRoutesDeps {
  db: Db
  instruments: Instruments
  rateLimits: RateLimits
  /** The addresses that the operator publishes as their own. */
  assets: readonly Asset[]
}

/** Receipts that are built at the same time: each reads some minutes of the tape. */
const AT_ONCE = 2

/** The routes of `contract/proof.ts`. */
export function proofRoutes(deps: ProofRoutesDeps): Handlers<keyof typeof proofCalls> {
  const { db } = deps
  const building = atMost(AT_ONCE, { waiting: 40, patienceMs: 5_000 })
  const download = dayDownloads(deps)
  const limit = deps.rateLimits('receipts', {
    max: 60,
    windowMs: MINUTE_MS,
    message: 'You asked for many receipts or proofs. Wait a minute.',
  })
  return {
    'GET /trading/:trade_id/receipt': async ({ who, params }) => {
      limit.take(String(who.userId))
      return { status: true, data: (await building(() => receiptOf(deps, who.userId, params.trade_id))) ?? null }
    },

    'GET /proof/checkpoints': async ({ query }) => {
      const page = pageOf(query)
      const { rows } = await sql<Parameters<typeof toCheckpoint>[0]>`
        select * from checkpoints where frame < ${page.after ?? 9_223_372_036_854_775_807n}
        order by frame desc limit ${page.limit + 1}`.execute(db)
      return listReply(
        rows.map((row) => ({ ...row, id: row.frame })),
        page,
        toCheckpoint,
      )
    },

    'GET /proof/day': async ({ query }) =>
      new FileReply(await download(query.day), 'application/gzip', {
        'content-disposition': `attachment; filename="tape-${query.day}.jsonl.gz"`,
      }),

    'GET /proof/solvency': async ({ query }) => {
      const page = pageOf(query)
      const { rows } = await sql<StatementRow>`
        select * from solvency_statements where number::bigint < ${page.after ?? 2_147_483_648n}::bigint
        order by number desc limit ${page.limit + 1}`.execute(db)
      return listReply(
        rows.map((row) => ({ ...row, id: BigInt(row.number) })),
        page,
        toStatement,
      )
    },

    'GET /proof/solvency/own': async ({ who }) => {
      limit.take(String(who.userId))
      return { status: true, data: await building(() => solvencyOf(db, who.userId)) }
    },

    'GET /proof/assets': async () => ({ status: true, data: [...deps.assets] }),

    'GET /proof/keys': async () => {
      const rows = await db.selectFrom('proof_keys').selectAll().orderBy('created_at').execute()
      return {
        status: true,
        data: rows.map((row) => ({
          id: row.id,
          public_key: row.public_key.toString('hex'),
          created_at: row.created_at.toISOString(),
          ...(row.revoked_at ? { revoked_at: row.revoked_at.toISOString(), revoked_reason: row.revoked_reason! } : {}),
        })),
      }
    },
  }
}
