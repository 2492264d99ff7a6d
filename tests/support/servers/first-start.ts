import { filesKey } from '#server/platform/files/index.ts'
import { startEmbedded } from '#server/platform/postgres/embedded.ts'
import { provision } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'
import { seedOf } from '#server/prices/feeds/simulation-feed.ts'
import { openProofKey } from '#server/proof/keys/key.ts'

/** Everything that a start creates in its data folder, in the same order. Its test kills it. */
const dataDir = process.argv[2]!
const postgres = await startEmbedded({ dataDir, log: createLog('silent'), unsafeFast: true })
await provision(postgres.superUrl, dataDir)
filesKey(dataDir, undefined)
seedOf({ dataDir })
openProofKey(dataDir)
setInterval(() => undefined, 60_000)
