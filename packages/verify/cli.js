#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { verifyReceipt } from './verify.js'

const USAGE = `Checks the receipt of a trade, without the network.

  cleartick-verify RECEIPT.json [--keys KEYS.json]

RECEIPT.json  the file from the trade's details
KEYS.json     the keys that the platform publishes at /api/proof/keys: with it, a key that isn't listed or was revoked fails`

const args = process.argv.slice(2)
const keysAt = args.indexOf('--keys')
const [keysFile] = keysAt === -1 ? [] : args.splice(keysAt, 2).slice(1)
const [file, ...more] = args
if (file === undefined || more.length > 0 || (keysAt !== -1 && keysFile === undefined)) {
  console.error(USAGE)
  process.exit(2)
}

try {
  const trustedKeys = keysFile === undefined ? undefined : readKeys(keysFile)
  const { ok, steps } = await verifyReceipt(readFileSync(file, 'utf8'), { trustedKeys })
  for (const step of steps) console.log(`${step.ok ? 'ok    ' : 'FAILED'} ${step.title}\n       ${step.says}`)
  console.log(ok ? '\nThe receipt is genuine.' : '\nThe receipt is not genuine, or was changed.')
  process.exit(ok ? 0 : 1)
} catch (error) {
  console.error(error.message)
  process.exit(2)
}

function readKeys(name) {
  const { data } = JSON.parse(readFileSync(name, 'utf8'))
  return data.filter(({ revoked_at }) => revoked_at === undefined).map(({ id }) => id)
}
