import type { Selectable } from 'kysely'
import type { Asset, CheckpointTimestamp, ProofKey, proofCalls } from '#contract/prices/proof.ts'
import { Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import { FileReply, type Handlers } from '../platform/http/index.ts'
import { networkOf } from '../platform/http/limits/network.ts'
import { listReply, pageOf } from '../platform/http/page.ts'
import { atMost } from '../platform/process/at-most.ts'
import { type Instruments, ordersBoundSince } from '../prices/index.ts'
import { type CheckpointRow, digestOf, toCheckpoint } from './checkpoints/checkpoint-row.ts'
import { dayDownloads } from './days/day-download.ts'
import { keptDays } from './days/kept-days.ts'
import { receiptOf } from './receipts/receipt.ts'
import { linkedReceipt, linkOf, revokeLink, shareReceipt } from './receipts/receipt-links.ts'
import { type SolvencyStatementRow, solvencyOf, toSolvencyStatement } from './solvency/solvency.ts'

interface ProofRoutesDeps {
  db: Db
  instruments: Instruments
  /** Where this node keeps files of days. */
  dayFolder: string
  now(): Ms
  /** The addresses that the operator publishes as their own. */
  assets: readonly Asset[]
}

/** Receipts that are built at the same time: each reads some minutes of the tape. */
const AT_ONCE = 2

const pathOf = (token: string) => `/verify#${token}`

/** The routes of `contract/prices/proof.ts`. */
export const proofRoutes = (deps: ProofRoutesDeps): Handlers<keyof typeof proofCalls> => ({
  ...ownProofRoutes(deps),
  ...sharedReceiptRoutes(deps),
  ...publishedRoutes(deps),
})

/** A trader's receipts, links to them, and proof of balances. */
function ownProofRoutes(
  deps: ProofRoutesDeps,
): Handlers<
  | 'GET /trading/:trade_id/receipt'
  | `${'GET' | 'PUT' | 'DELETE'} /trading/:trade_id/receipt-link`
  | 'GET /proof/solvency/own'
> {
  const { db } = deps
  const building = atMost(AT_ONCE, { waiting: 40, patienceMs: 5_000 })
  return {
    'GET /trading/:trade_id/receipt': async ({ who, params, reads }) => {
      return {
        status: true,
        data: (await building(() => receiptOf({ ...deps, db: reads }, who.userId, params.trade_id))) ?? null,
      }
    },

    'GET /trading/:trade_id/receipt-link': async ({ who, params }) => {
      const token = await linkOf(db, who.userId, params.trade_id)
      return { status: true, data: token === undefined ? null : { path: pathOf(token) } }
    },

    'PUT /trading/:trade_id/receipt-link': async ({ who, params }) => {
      return { status: true, data: { path: pathOf(await shareReceipt(db, who.userId, params.trade_id)) } }
    },

    'DELETE /trading/:trade_id/receipt-link': async ({ who, params }) => {
      await revokeLink(db, who.userId, params.trade_id)
      return { status: true, message: 'The link no longer works.' }
    },

    'GET /proof/solvency/own': async ({ who, reads }) => {
      return { status: true, data: await building(() => solvencyOf(reads, who.userId)) }
    },
  }
}

/** What the owner of a link shows to anyone. */
function sharedReceiptRoutes(deps: ProofRoutesDeps): Handlers<'GET /proof/receipt/:token'> {
  const { db } = deps
  // Visitors wait for each other, so that traders never wait for them.
  const buildingShared = atMost(1, { waiting: 20, patienceMs: 5_000 })
  return {
    'GET /proof/receipt/:token': async ({ params }) => {
      const shared = await linkedReceipt(db, params.token)
      if (!shared) throw new Problem('not_found', 'This link isn’t valid, or its owner no longer shares it.')
      return {
        status: true,
        data: (await buildingShared(() => receiptOf(deps, shared.user_id, shared.trade_id))) ?? null,
      }
    },
  }
}

/** What anyone reads to check receipts and statements with. */
function publishedRoutes(
  deps: ProofRoutesDeps,
): Handlers<`GET /proof/${'checkpoints' | 'timestamps' | 'day' | 'solvency' | 'assets' | 'keys'}`> {
  const download = dayDownloads({ instruments: deps.instruments, days: keptDays(deps.dayFolder, deps.now) })
  return {
    'GET /proof/checkpoints': async ({ query, reads }) => {
      const page = pageOf(query)
      const { rows } = await sql<Parameters<typeof toCheckpoint>[0]>`
        select * from checkpoints where frame < ${page.after ?? 9_223_372_036_854_775_807n}
        order by frame desc limit ${page.limit + 1}`.execute(reads)
      return listReply(
        rows.map((row) => ({ ...row, id: row.frame })),
        page,
        toCheckpoint,
      )
    },

    'GET /proof/timestamps': async ({ query, reads }) => {
      const page = pageOf(query)
      const { rows } = await sql<TimestampRow>`
        select c.*, s.authority, s.at, s.response
        from checkpoint_timestamps s join checkpoints c using (frame)
        where frame < ${page.after ?? 9_223_372_036_854_775_807n} order by frame desc limit ${page.limit + 1}`.execute(
        reads,
      )
      return listReply(
        rows.map((row) => ({ ...row, id: row.frame })),
        page,
        toTimestamp,
      )
    },

    'GET /proof/day': async ({ query, reads, request }) =>
      new FileReply(await download(reads, query.day, networkOf(request.ip)), 'application/gzip', {
        'content-disposition': `attachment; filename="tape-${query.day}.jsonl.gz"`,
      }),

    'GET /proof/solvency': async ({ query, reads }) => {
      const page = pageOf(query)
      const { rows } = await sql<SolvencyStatementRow>`
        select * from solvency_statements where number::bigint < ${page.after ?? 2_147_483_648n}::bigint
        order by number desc limit ${page.limit + 1}`.execute(reads)
      return listReply(
        rows.map((row) => ({ ...row, id: BigInt(row.number) })),
        page,
        toSolvencyStatement,
      )
    },

    'GET /proof/assets': async () => ({ status: true, data: [...deps.assets] }),

    'GET /proof/keys': async ({ reads }) => ({ status: true, data: await proofKeys(reads) }),
  }
}

async function proofKeys(db: Db) {
  const rows = await db.selectFrom('proof_keys').selectAll().orderBy('created_at').execute()
  const since = await ordersBoundSince(db)
  return rows.map((row) => ({ ...toKey(row), ...(since === undefined ? {} : { orders_since: since }) }))
}

type TimestampRow = CheckpointRow & { authority: string; at: Date; response: Buffer }

const toTimestamp = (row: TimestampRow): CheckpointTimestamp => ({
  frame: Number(row.frame),
  digest: digestOf(row).toString('hex'),
  authority: row.authority,
  time: row.at.toISOString(),
  response: row.response.toString('base64'),
})

const toKey = (row: Selectable<DB['proof_keys']>): ProofKey => ({
  id: row.id,
  public_key: row.public_key.toString('hex'),
  created_at: row.created_at.toISOString(),
  ...(row.signed_by ? { signed_by: row.signed_by, signature: must(row.signature).toString('hex') } : {}),
  ...(row.unsigned_reason === null ? {} : { unsigned_reason: row.unsigned_reason }),
  ...(row.revoked_at ? { revoked_at: row.revoked_at.toISOString(), revoked_reason: must(row.revoked_reason) } : {}),
})
