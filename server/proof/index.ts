export { readIds } from './checkpoint-row.ts'
export { startCheckpoints } from './checkpoints.ts'
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
} from './key.ts'
export { leafOf } from './leaf.ts'
export { receiptOf } from './receipt.ts'
export { listKeys, revokeKey } from './revoke.ts'
export { proofRoutes } from './routes.ts'
export { newestStatement } from './solvency/solvency.ts'
export { requestStatement, startSolvency, statementSinceRequest } from './solvency/solvency-loop.ts'
export { verifySolvencyStatements } from './solvency/verify-solvency.ts'
export { newestLine, startTimestamps } from './time-stamps/timestamps.ts'
export { verifyOrders } from './verify-orders.ts'
export { verifyProof } from './verify-proof.ts'
