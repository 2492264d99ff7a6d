import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { loadInstruments } from '#server/prices/index.ts'
import { type DayLine, type DayVerdict, dayLines, replayDay } from '#server/proof/index.ts'
import { reachDatabase } from './reach-database.ts'
import { readArguments, runCommand, say, WrongArguments } from './run-command.ts'

const USAGE = `Computes the outcome of every trade of a day again from the tape, and compares it bit for bit with what was signed.

  npm run replay -- --day 2026-11-22                    from this installation's database
  npm run replay -- --day 2026-11-22 --to DAY.jsonl.gz  writes the day's file instead
  npm run replay -- --from DAY.jsonl.gz [--keys KEYS]   from such a file alone, on any machine

KEYS is a copy of /api/proof/keys: with it, a key that isn't listed or was revoked fails.`

/** `npm run replay`. Exits with 1 if something differs. */
async function replay(args: string[]): Promise<boolean> {
  const { day = '', from, to, keys } = options(args)
  if (from !== undefined) return report(await replayDay(linesOf(from), keys === undefined ? undefined : readKeys(keys)))
  const { url, close } = await reachDatabase(readConfig())
  const database = openDatabase(url, { max: 2, name: 'replay', log: createLog('silent') })
  try {
    const lines = dayLines(database.db, await loadInstruments(database.db), day)
    if (to === undefined) return report(await replayDay(lines))
    await pipeline(Readable.from(asText(lines)), createGzip(), createWriteStream(to))
    say(`Wrote ${to}. It names no trader, but holds the terms of every trade.`)
    return true
  } finally {
    await database.close()
    await close()
  }
}

function options(args: string[]) {
  const text = { type: 'string' } as const
  const { values } = readArguments({ args, options: { day: text, from: text, to: text, keys: text } })
  const { day, from } = values
  if (day !== undefined && Number.isNaN(Date.parse(`${day}T00:00:00Z`)))
    throw new WrongArguments(`'${day}' is no day. Write it as 2026-11-22.`)
  if ((from === undefined) === (day === undefined)) throw new WrongArguments('Give either --day or --from.')
  return values
}

async function* asText(lines: AsyncIterable<DayLine>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`
}

async function* linesOf(file: string): AsyncGenerator<DayLine> {
  const text = createReadStream(file).pipe(createGunzip())
  for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) yield JSON.parse(line)
}

function readKeys(file: string): Set<string> {
  const { data } = JSON.parse(readFileSync(file, 'utf8')) as { data: { id: string; revoked_at?: string }[] }
  return new Set(data.filter(({ revoked_at }) => revoked_at === undefined).map(({ id }) => id))
}

function report({ day, checkpoints, frames, ticks, trades, voided, broken }: DayVerdict): boolean {
  if (broken !== undefined) {
    say(`BROKEN ${day}: ${broken}`)
    return false
  }
  const of = voided > 0 ? `, and ${voided} that operators voided` : ''
  say(
    `ok     ${day}: ${trades} outcomes follow from the tape, bit for bit${of}. ${frames} frames with ${ticks} prices lead to ${checkpoints} signed checkpoints.`,
  )
  return true
}

runCommand(USAGE, replay)
