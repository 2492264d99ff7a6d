import * as z from 'zod/mini'
import { type CallLimit, type Endpoint, listOf, messageReply, replyOf } from '../endpoint.ts'
import { cursor, isoTime, limit, MESSAGE } from '../fields.ts'
import { publicId } from '../ids.ts'
import { MODES, TRADE_SIDES } from '../terms.ts'
import { SOURCES } from './prices.ts'

/** Everything in a receipt is as the verifier reads it (packages/verify): times in Unix ms, bytes as hex. */
const hex = z.string()

export const Checkpoint = z.strictObject({
  epoch: z.number(),
  /** The tape's newest frame, its time and hash. */
  frame: z.number(),
  time: z.number(),
  hash: hex,
  /** The trades settled since the checkpoint before: how many, and the root of their tree. */
  trades: z.number(),
  root: hex,
  /** sha256 of the signed text of the checkpoint before; zeros in the first, absent in those of version 1. */
  previous: z.optional(hex),
  /** The key that signed, and its Ed25519 signature. */
  key: z.string(),
  signature: hex,
})
export type Checkpoint = z.infer<typeof Checkpoint>

/** Proves that a checkpoint existed at a time: certified by an authority (RFC 3161). */
const CheckpointTimestamp = z.strictObject({
  /** The checkpoint's frame. */
  frame: z.number(),
  /** sha256 of the checkpoint's signed text: what the authority certified. */
  digest: hex,
  /** The authority's host. */
  authority: z.string(),
  /** The time that it certified. */
  time: isoTime,
  /** Its response, base64: `openssl ts -verify -digest … -in …` reads it. */
  response: z.string(),
})
export type CheckpointTimestamp = z.infer<typeof CheckpointTimestamp>

const ReceiptTick = z.strictObject({
  sequence: z.number(),
  time: z.number(),
  price: z.string(),
  source: z.enum(SOURCES),
  frame: z.number(),
})

const terms = {
  id: z.string(),
  mode: z.enum(MODES),
  symbol: z.string(),
  side: z.enum(TRADE_SIDES),
  stake: z.string(),
}
const terms2 = { ...terms, strike_rate: z.string(), percent: z.number(), duration: z.number(), trade_time: z.number() }
const rules = { stale_after_ms: z.number(), source: z.enum(SOURCES), rule_version: z.literal('FT-1') }
const rules2 = { ...rules, price_list: z.nullable(z.string()) }
const outcome = { status: z.enum(['Won', 'Lost', 'Draw', 'Void']), payout: z.string(), reason: z.string() }
const proof = {
  /** The prices that decided the trade, with the ones next to them. */
  ticks: z.strictObject({
    before_entry: z.nullable(ReceiptTick),
    entry: z.nullable(ReceiptTick),
    change: z.nullable(ReceiptTick),
    exit: z.nullable(ReceiptTick),
    after_exit: z.nullable(ReceiptTick),
  }),
  /** Frames of the tape, each run up to a checkpoint: time and hash of the body, or the body itself. */
  segments: z.array(
    z.strictObject({
      first: z.number(),
      before: hex,
      frames: z.array(z.union([z.tuple([z.number(), hex]), z.tuple([z.number(), z.literal('body'), hex])])),
      checkpoint: Checkpoint,
    }),
  ),
  settlement: z.strictObject({ position: z.number(), path: z.array(hex), checkpoint: Checkpoint }),
  keys: z.array(z.strictObject({ id: z.string(), public_key: hex })),
}
/** Where an order is in the tree of its frame. */
const bound = z.strictObject({ frame: z.number(), position: z.number(), path: z.array(hex) })
const order = z.strictObject({ ...terms2, ...rules2, salt: hex })
const trade2 = z.strictObject({ ...terms2, end_time: z.number(), ...rules2, order: hex })
const type = z.literal('cleartick receipt')

export const Receipt = z.discriminatedUnion('version', [
  /** Of a trade from before orders were bound. */
  z.strictObject({
    type,
    version: z.literal(1),
    trade: z.strictObject({
      ...terms,
      percent: z.number(),
      trade_time: z.number(),
      end_time: z.number(),
      ...rules,
    }),
    outcome: z.strictObject(outcome),
    ...proof,
  }),
  z.strictObject({
    type,
    version: z.literal(2),
    /** The order as it was accepted. */
    order,
    /** The trade as it was settled, with the hash of its order. */
    trade: trade2,
    outcome: z.strictObject({ ...outcome, sale: z.null() }),
    bound,
    ...proof,
  }),
  /** Of a trade that was sold before its end. */
  z.strictObject({
    type,
    version: z.literal(3),
    order,
    trade: trade2,
    outcome: z.strictObject({
      status: z.literal('Sold'),
      payout: z.string(),
      reason: z.string(),
      /** The order that sold it, and what its price was computed with. */
      sale: z.strictObject({
        rule: z.literal('SE-1'),
        ordered_at: z.number(),
        minimum: z.string(),
        variance: z.number(),
        fee: z.string(),
      }),
    }),
    bound,
    ...proof,
    /** The frame that states the variance, and the price before the one of the sale. */
    sold: z.strictObject({ variance_frame: z.number(), before: ReceiptTick }),
  }),
])

/** Where anyone sees a shared receipt: the token is in the fragment, which browsers don't send to servers. */
const ReceiptLink = z.strictObject({ path: z.string() })

/** A signed statement of the total owed to all traders, as the verifier reads it. */
export const SolvencyStatement = z.strictObject({
  number: z.number(),
  time: z.number(),
  /** Number of traders who are owed something. */
  accounts: z.number(),
  /** Number of entries of the tree. Without it, each trader has one. */
  entries: z.optional(z.number()),
  /** US dollars, decimal text. */
  total: z.string(),
  /** What the house itself owned then: capital, and results with real money. Decimal text; below zero if it owed more. */
  equity: z.optional(z.string()),
  /** The root of the tree of everyone's balances. */
  root: hex,
  /** sha256 of the signed text of the statement before; zeros for the first. */
  previous: hex,
  key: z.string(),
  signature: hex,
})
export type SolvencyStatement = z.infer<typeof SolvencyStatement>

/** Proves that a trader's balances are part of a statement's total. */
export const SolvencyProof = z.strictObject({
  type: z.literal('cleartick solvency proof'),
  /** 2 if the statement has no equity. */
  version: z.literal([2, 3]),
  account: z.string(),
  /** Together they are the trader's balances. Each is a random part, at a random place of the tree. */
  entries: z.array(
    z.strictObject({
      nonce: hex,
      balances: z.strictObject({ available: z.string(), open_trades: z.string(), withdrawals: z.string() }),
      position: z.number(),
      path: z.array(z.strictObject({ hash: hex, sum: z.string() })),
    }),
  ),
  statement: SolvencyStatement,
  key: z.strictObject({ id: z.string(), public_key: hex }),
})
export type SolvencyProof = z.infer<typeof SolvencyProof>

/** An address that the operator says they control. */
export const Asset = z.strictObject({ name: z.string(), coin: z.string(), address: z.string() })
export type Asset = z.infer<typeof Asset>

export const ProofKey = z.strictObject({
  id: z.string(),
  /** Ed25519, hex. */
  public_key: hex,
  created_at: isoTime,
  /** The id of the key before, and its signature of this one. The first key has none. */
  signed_by: z.optional(z.string()),
  signature: z.optional(hex),
  /** Why two admins began this key without the signature of the one before. */
  unsigned_reason: z.optional(z.string()),
  revoked_at: z.optional(isoTime),
  revoked_reason: z.optional(z.string()),
  /** Since when the tape binds every order, Unix ms: a receipt of a later trade has version 2. */
  orders_since: z.optional(z.number()),
})
export type ProofKey = z.infer<typeof ProofKey>

const TOO_MANY = 'You asked for many receipts or proofs. Wait a minute.'
/** Building either reads minutes of the tape: a trader may ask for 60 a minute in all. */
const RECEIPTS: CallLimit = { max: 50, per: 'minute', message: TOO_MANY }
const PROOFS: CallLimit = { max: 10, per: 'minute', message: TOO_MANY }
const SHARED: CallLimit = {
  max: 30,
  per: 'minute',
  message: 'Many receipts were opened from this network. Wait a minute.',
}

export const proofCalls = {
  'GET /trading/:trade_id/receipt': {
    summary:
      'Returns the receipt of a settled trade, which anyone can check. Null until it is ready, about a minute after the result.',
    access: 'user',
    guests: true,
    mayLag: true,
    limit: RECEIPTS,
    params: z.strictObject({ trade_id: publicId }),
    reply: replyOf(z.nullable(Receipt)),
    problems: ['not_found', 'wrong_state', 'too_many_requests'],
  },
  'GET /trading/:trade_id/receipt-link': {
    summary: "Returns the link to a trade's receipt. Null if the trader shares none.",
    access: 'user',
    params: z.strictObject({ trade_id: publicId }),
    reply: replyOf(z.nullable(ReceiptLink)),
    problems: [],
  },
  'PUT /trading/:trade_id/receipt-link': {
    summary:
      'Creates a link to the receipt of a settled trade, for anyone who has it. Returns the same one every time.',
    access: 'user',
    params: z.strictObject({ trade_id: publicId }),
    reply: replyOf(ReceiptLink),
    problems: ['not_found', 'wrong_state', 'too_many_requests'],
  },
  'DELETE /trading/:trade_id/receipt-link': {
    summary: "Revokes the link to a trade's receipt: it stops working at once.",
    access: 'user',
    params: z.strictObject({ trade_id: publicId }),
    reply: messageReply,
    problems: ['too_many_requests'],
  },
  'GET /proof/receipt/:token': {
    summary: 'Returns the receipt that a trader shares by a link. Null until it is ready.',
    access: 'visitor',
    limit: SHARED,
    params: z.strictObject({ token: z.string().check(z.regex(/^[A-Za-z0-9_-]{22}$/, MESSAGE.invalid)) }),
    reply: replyOf(z.nullable(Receipt)),
    problems: ['not_found', 'too_many_requests'],
  },
  'GET /proof/checkpoints': {
    summary: 'Lists the signed checkpoints of the tape, newest first.',
    access: 'visitor',
    mayLag: true,
    query: z.strictObject({ limit, cursor }),
    reply: listOf(Checkpoint),
    problems: [],
  },
  'GET /proof/timestamps': {
    summary: 'Lists the time stamps (RFC 3161) of checkpoints by an independent authority, newest first.',
    access: 'visitor',
    mayLag: true,
    query: z.strictObject({ limit, cursor }),
    reply: listOf(CheckpointTimestamp),
    problems: [],
  },
  'GET /proof/day': {
    summary:
      'Returns the whole tape of a day (UTC) with its checkpoints, as gzipped lines of JSON that `npm run replay -- --from` checks.',
    access: 'visitor',
    mayLag: true,
    query: z.strictObject({ day: z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, MESSAGE.invalid)) }),
    reply: 'text',
    problems: ['not_found', 'unavailable'],
  },
  'GET /proof/solvency': {
    summary: 'Lists the signed statements of solvency, newest first.',
    access: 'visitor',
    mayLag: true,
    query: z.strictObject({ limit, cursor }),
    reply: listOf(SolvencyStatement),
    problems: [],
  },
  'GET /proof/solvency/own': {
    summary: "Returns the newest statement, and the proof that the trader's balances are part of it.",
    access: 'user',
    mayLag: true,
    limit: PROOFS,
    reply: replyOf(
      z.strictObject({
        /** Null before the first statement. */
        statement: z.nullable(SolvencyStatement),
        /** Null if nothing was owed to the trader at that time. */
        proof: z.nullable(SolvencyProof),
      }),
    ),
    problems: ['too_many_requests'],
  },
  'GET /proof/assets': {
    summary: 'Lists the addresses that the operator publishes as their own.',
    access: 'visitor',
    reply: replyOf(z.array(Asset)),
    problems: [],
  },
  'GET /proof/keys': {
    summary: 'Lists the keys that sign checkpoints.',
    access: 'visitor',
    mayLag: true,
    reply: z.strictObject({ status: z.literal(true), data: z.array(ProofKey) }),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
