import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type ProofKey, Receipt } from '#contract/prices/proof.ts'
import { verifyReceipt } from '#packages/verify/verify.js'
import { bodyHash } from '#server/prices/index.ts'
import { readChain, unpackBodies } from '#server/prices/tape/frames/pack.ts'
import { type DayLine, replayDay } from '#server/proof/index.ts'
import { checkReceipt } from '#web/receipts/check.ts'

/** What the platform wrote before version 2 of its formats must stay valid permanently. */
const PACKAGE = join(import.meta.dirname, '../../../packages/verify')
const FOLDER = join(PACKAGE, 'version-1')
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const receipts = readdirSync(FOLDER).filter((name) => /^(won|lost|draw|void)-.*\.json$/.test(name))
const published = (JSON.parse(read('keys.json')) as { data: ProofKey[] }).data
const folder = mkdtempSync(join(tmpdir(), 'cleartick-version-1-'))
afterAll(() => rmSync(folder, { recursive: true }))

const flipped = (text: string, at: number) =>
  text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1)

function offline(text: string): number | null {
  const file = join(folder, 'receipt.json')
  writeFileSync(file, text)
  const keys = ['--keys', join(FOLDER, 'keys.json')]
  return spawnSync(process.execPath, [join(PACKAGE, 'cli.js'), file, ...keys], { env: {} }).status
}

test('there is a receipt of each result, side and account', () => {
  const made = receipts.map((name) => Receipt.parse(JSON.parse(read(name))))
  expect(new Set(made.map(({ outcome }) => outcome.status)).size).toBe(4)
  expect(new Set(made.map(({ trade }) => trade.side)).size).toBe(2)
  expect(new Set(made.map(({ trade }) => trade.mode)).size).toBe(2)
  expect(receipts).toHaveLength(10)
})

test.each(receipts)('%s is genuine for the platform, the browser and the offline tool', async (name) => {
  const text = read(name)
  expect(Receipt.safeParse(JSON.parse(text)).success).toBe(true)
  for (const { ok, steps } of [await verifyReceipt(text, { published }), await checkReceipt(text, published)]) {
    expect(steps.filter((step) => !step.ok)).toEqual([])
    expect(ok).toBe(true)
  }
  expect(offline(text)).toBe(0)
  expect(offline(flipped(text, text.indexOf('"stake":"') + 9))).toBe(1)
})

test.each(receipts)('%s with a byte changed is not', async (name) => {
  const text = read(name)
  // Every seventh, each time from another one on: all of them take half a minute.
  for (let at = receipts.indexOf(name) % 7; at < text.length; at += 7) {
    const changed = flipped(text, at)
    if ((await verifyReceipt(changed, { published })).ok)
      throw new Error(`byte ${at} can change unnoticed: ${text.slice(at - 30, at + 30)}`)
    // Both run the same code; the browser's own part is small.
    if (at % 13 === 0) expect((await checkReceipt(changed, published)).ok).toBe(false)
  }
})

test.each(['day.jsonl', 'day-with-trades.jsonl'])('%s replays, and with any line changed it does not', async (name) => {
  const text = read(name)
  const replayed = (content: string) => replayDay(linesOf(content), new Set(published.map(({ id }) => id)))
  const verdict = await replayed(text)
  expect(verdict.broken).toBeUndefined()
  expect(verdict.trades + verdict.voided).toBe(name === 'day.jsonl' ? 0 : receipts.length)
  const lines = text.trimEnd().split('\n')
  for (const [i, line] of lines.entries()) {
    // The last digit of each line: of a signature, a payout, a key, a hash or a price.
    const at = line.search(/\d(?=\D*$)/)
    const digit = line[at] === '1' ? '2' : '1'
    const changed = lines.with(i, line.slice(0, at) + digit + line.slice(at + 1)).join('\n')
    const isName = line.startsWith('{"type"')
    const { broken } = await replayed(changed).catch(() => ({ broken: 'unreadable' }))
    if (!isName) expect(broken, line).toBeDefined()
  }
})

async function* linesOf(text: string): AsyncGenerator<DayLine> {
  for (const line of text.trimEnd().split('\n')) yield JSON.parse(line) as DayLine
}

test('packed minutes unpack to the bodies that their chain names', () => {
  const minutes = JSON.parse(read('minutes.json')) as { minute: number; chain: string; packed: string }[]
  expect(minutes).toHaveLength(2)
  for (const { minute, chain, packed } of minutes) {
    const links = readChain(minute, Buffer.from(chain, 'base64'))
    const bodies = unpackBodies(Buffer.from(packed, 'base64'), links)
    expect(bodies.map((body) => bodyHash(body).toString('hex'))).toEqual(
      links.map((link) => link.bodyHash.toString('hex')),
    )
  }
})
