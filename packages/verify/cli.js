#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { verifySolvency } from './solvency.js'
import { verifyReceipt } from './verify.js'

const USAGE = `Checks the receipt of a trade, or a proof of solvency, without the network.

  cleartick-verify FILE.json [--keys KEYS.json [--newer NEWER.json]] [--order HASH] [--checkpoints LATER.json] [--known DIGEST]

FILE.json  the receipt from the trade's details, or the proof from the page Proof of balances
KEYS.json  the keys that the platform publishes at /api/proof/keys: with it, a key that isn't listed or was revoked fails
NEWER.json the keys of today, if KEYS.json is your older copy: of the keys begun since, those count that an older one has signed
HASH       the order_hash that came with the answer to the order: with it, a receipt of any other order fails
LATER.json the checkpoints of /api/proof/checkpoints: a receipt of a key that was revoked later counts if they lead to another key
DIGEST     the sha256 of a checkpoint that an authority certified, or that was published, before a key was revoked`

const args = process.argv.slice(2)
const taken = (name) => {
  const at = args.indexOf(name)
  return at === -1 ? undefined : (args.splice(at, 2)[1] ?? '')
}
const keysFile = taken('--keys')
const newerFile = taken('--newer')
const orderHash = taken('--order')
const laterFile = taken('--checkpoints')
const digest = taken('--known')
const [file, ...more] = args
if (file === undefined || more.length > 0 || [keysFile, newerFile, orderHash, laterFile, digest].includes('')) {
  console.error(USAGE)
  process.exit(2)
}

try {
  const published = keysFile === undefined ? undefined : JSON.parse(readFileSync(keysFile, 'utf8')).data
  const newer = newerFile === undefined ? [] : JSON.parse(readFileSync(newerFile, 'utf8')).data
  const later = laterFile === undefined ? [] : JSON.parse(readFileSync(laterFile, 'utf8')).data
  const known = digest === undefined ? [] : [digest]
  const text = readFileSync(file, 'utf8')
  const isProof = text.startsWith('{"type":"cleartick solvency proof"')
  const what = isProof ? 'proof' : 'receipt'
  const { ok, steps } = await (isProof ? verifySolvency : verifyReceipt)(text, {
    published,
    newer,
    orderHash,
    later,
    known,
  })
  for (const step of steps) console.log(`${step.ok ? 'ok    ' : 'FAILED'} ${step.title}\n       ${step.says}`)
  console.log(ok ? `\nThe ${what} is genuine.` : `\nThe ${what} is not genuine, or was changed.`)
  process.exit(ok ? 0 : 1)
} catch (error) {
  console.error(error.message)
  process.exit(2)
}
