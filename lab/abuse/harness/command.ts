import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const USAGE = `Sends hostile requests to every call of the API and judges each response.

  npm run abuse                                       the same requests as npm test
  npm run abuse -- --requests 1000000 --seed 7        more requests, from another seed
  npm run abuse -- --requests 1000000 --minutes 15    stops after 15 minutes
  npm run abuse -- --seed 7 --only 4711               repeats one request`

const root = join(import.meta.dirname, '../../..')

const { values } = parseArgs({
  options: {
    requests: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    minutes: { type: 'string' },
    help: { type: 'boolean' },
  },
})
const numbers = [values.requests, values.seed, values.only, values.minutes].filter((value) => value !== undefined)
if (values.help || numbers.some((value) => !/^\d{1,10}$/.test(value))) {
  console.log(USAGE)
  process.exit(values.help ? 0 : 1)
}

const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    'lab/abuse/hostile-requests.test.ts',
    '--disableConsoleIntercept',
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_ENV: 'test',
      ...(values.requests === undefined ? {} : { ABUSE_REQUESTS: values.requests }),
      ...(values.seed === undefined ? {} : { ABUSE_SEED: values.seed }),
      ...(values.minutes === undefined ? {} : { ABUSE_MINUTES: values.minutes }),
      ...(values.only === undefined ? {} : { ABUSE_ONLY: values.only }),
      // A run by command prints a report; in npm test only failures are printed.
      ABUSE_REPORT: 'on',
    },
  },
)
process.exit(status ?? 1)
