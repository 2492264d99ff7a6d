import { expect, test } from 'vitest'
import { pageOf, settingsIn } from './settings.ts'

const CONFIG = `
const Settings = z.object({
  /** Port of the web. */
  PORT: z._default(whole(0, 65_535), 3000),
  /**
   * Where the database is:
   * \`one\` | \`two\`.
   */
  DATABASE_URL: z.optional(z.string()),
  ON: z._default(bool, false),
})
export const SECRETS = ['DATABASE_URL'] as const
`

test('reads names, defaults, comments and secrets', () => {
  expect(settingsIn(CONFIG)).toEqual([
    { name: 'PORT', default: '3000', does: 'Port of the web.', isSecret: false },
    { name: 'DATABASE_URL', default: 'none', does: 'Where the database is: `one` | `two`.', isSecret: true },
    { name: 'ON', default: 'off', does: '', isSecret: false },
  ])
})

test('writes a row for each', () => {
  const page = pageOf(settingsIn(CONFIG))
  expect(page).toContain('| `PORT` | `3000` | Port of the web. |')
  expect(page).toContain('| `DATABASE_URL` *secret* | none | Where the database is: `one` \\| `two`. |')
})
