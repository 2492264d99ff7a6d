#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { verifySolvency } from './solvency.js'
import { verifyReceipt } from './verify.js'

const USAGE = `Checks the receipt of a trade, or a proof of solvency, without the network.

  cleartick-verify FILE.json [--keys KEYS.json]

FILE.json  the receipt from the trade's details, or the proof from the page Proof of balances
KEYS.json  the keys that the platform publishes at /api/proof/keys: with it, a key that isn't listed or was revoked fails`

const args = process.argv.slice(2)
const keysAt = args.indexOf('--keys')
const [keysFile] = keysAt === -1 ? [] : args.splice(keysAt, 2).slice(1)
const [file, ...more] = args
if (file === undefined || more.length > 0 || (keysAt !== -1 && keysFile === undefined)) {
  console.error(USAGE)
  process.exit(2)
}

try {
  const published = keysFile === undefined ? undefined : JSON.parse(readFileSync(keysFile, 'utf8')).data
  const text = readFileSync(file, 'utf8')
  const isProof = text.startsWith('{"type":"cleartick solvency proof"')
  const what = isProof ? 'proof' : 'receipt'
  const { ok, steps } = await (isProof ? verifySolvency : verifyReceipt)(text, { published })
  for (const step of steps) console.log(`${step.ok ? 'ok    ' : 'FAILED'} ${step.title}\n       ${step.says}`)
  console.log(ok ? `\nThe ${what} is genuine.` : `\nThe ${what} is not genuine, or was changed.`)
  process.exit(ok ? 0 : 1)
} catch (error) {
  console.error(error.message)
  process.exit(2)
}
