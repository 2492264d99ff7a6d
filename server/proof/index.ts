export { readIds } from './checkpoints/checkpoint-row.ts'
export { startCheckpoints } from './checkpoints/checkpoints.ts'
export { leafOf } from './checkpoints/leaf.ts'
export { type DayLine, dayLines } from './days/day-file.ts'
export { type DayVerdict, replayDay } from './days/replay-day.ts'
export {
  beginKey,
  keyCounts,
  keyThatReceiptsWaitFor,
  openNextKey,
  openProofKey,
  succeed,
  type WaitingKey,
  waitingKeys,
} from './keys/key.ts'
export { listKeys, revokeKey } from './keys/revoke.ts'
export { receiptOf } from './receipts/receipt.ts'
export { proofRoutes } from './routes.ts'
export { newestSolvencyStatement } from './solvency/solvency.ts'
export { requestSolvencyStatement, solvencyStatementSinceRequest, startSolvency } from './solvency/solvency-loop.ts'
export { verifySolvencyStatements } from './solvency/verify-solvency.ts'
export { newestLine, startTimestamps } from './time-stamps/timestamps.ts'
export { verifyOrders } from './verify-orders.ts'
export { verifyProof } from './verify-proof.ts'
