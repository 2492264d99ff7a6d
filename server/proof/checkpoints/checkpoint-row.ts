import { createHash } from 'node:crypto'
import { checkpointText, type ReceiptCheckpoint } from '#packages/verify/verify.js'

export interface CheckpointRow {
  frame: bigint
  epoch: number
  t: bigint
  hash: Buffer
  trade_ids: Buffer
  leaves: Buffer
  root: Buffer
  /** Null in version 1. */
  previous: Buffer | null
  key: string
  signature: Buffer
}

export const toCheckpoint = (row: CheckpointRow): ReceiptCheckpoint => ({
  epoch: row.epoch,
  frame: Number(row.frame),
  time: Number(row.t),
  hash: row.hash.toString('hex'),
  trades: row.trade_ids.length / 8,
  root: row.root.toString('hex'),
  ...(row.previous ? { previous: row.previous.toString('hex') } : {}),
  key: row.key,
  signature: row.signature.toString('hex'),
})

/** sha256 of its signed text: what an authority certifies of a checkpoint, and the next one names. */
export const digestOf = (row: CheckpointRow): Buffer =>
  createHash('sha256')
    .update(checkpointText(toCheckpoint(row)))
    .digest()

export const readIds = (ids: Buffer): bigint[] =>
  Array.from({ length: ids.length / 8 }, (_, i) => ids.readBigInt64BE(i * 8))
