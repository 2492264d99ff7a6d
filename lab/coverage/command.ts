import { parseArgs } from 'node:util'
import { SIGNAL_DURATIONS } from '#contract/terms.ts'
import { measureCoverage } from './coverage.ts'
import { pairsAgainst } from './simulate.ts'

const USAGE = `Simulates days on which the true hit rate is 50 %, and counts on how many the 95 % interval contains it, for every
strategy. Fails outside of 93 to 97 %.

  node lab/coverage/command.ts                                    seeds 1 to 2000, all 79 symbols, 300 s
  node lab/coverage/command.ts --from 1 --to 500 --duration 60    others; fewer days scatter more`

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { from: text, to: text, duration: text, help: { type: 'boolean' } } })
const [from, to, durationSeconds] = [values.from ?? '1', values.to ?? '2000', values.duration ?? '300'].map(Number)
const isValid = from! >= 1 && to! >= from! && SIGNAL_DURATIONS.some((duration) => duration === durationSeconds)
if (values.help || !isValid) {
  console.log(USAGE)
  process.exit(values.help ? 0 : 1)
}

const pairs = pairsAgainst(['BTC', 'USDT', 'EUR', 'GBP', 'USD'])
const results = measureCoverage({ from: from!, to: to! }, { pairs, durationSeconds: durationSeconds! }, (seed) => {
  if (seed % 100 === 0) console.error(`${seed} of ${to} …`)
})
let failed = false
for (const { name, days, byCloses, bySignals, signals, effective, margin } of results) {
  const isRight = byCloses >= 93 && byCloses <= 97
  failed ||= !isRight
  console.log(
    `${isRight ? 'ok    ' : 'FAILED'} ${name}: ${byCloses.toFixed(1)} % of ${days} days contain 50 % (${bySignals.toFixed(1)} % if every ` +
      `signal counted); a day has ${signals.toFixed(0)} signals, as sure as ${effective.toFixed(0)}, ± ${margin.toFixed(1)}`,
  )
}
process.exit(failed ? 1 : 0)
