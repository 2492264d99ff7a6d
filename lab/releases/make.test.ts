import { expect, test } from 'vitest'
import { type Release, unpack } from './dump.ts'
import { LARGEST, makeRelease } from './make.ts'
import { UPGRADE_WITHIN_MS, upgrade } from './upgrade.ts'

/** The same with a cent less in the first balance. */
function withoutCent(release: Release): Release {
  const accounts = release.tables.accounts!.replace(/"balance":(\d+)/, (_, cents) => `"balance":${Number(cents) - 1}`)
  return { ...release, tables: { ...release.tables, accounts } }
}

/** The same as if it had been made years ago: its sessions ended long before. */
function aged(release: Release): Release {
  const sessions = release.tables.sessions!.replaceAll(/"(\d{4})-(?=\d\d-\d\d)/g, (_, year) => `"${Number(year) - 3}-`)
  return { ...release, tables: { ...release.tables, sessions } }
}

test(
  'what the command makes of this version is small, restores and upgrades',
  async () => {
    const packed = await makeRelease('0.0.0')
    expect(packed.length).toBeLessThan(LARGEST)
    const release = unpack(packed)
    await upgrade(release)
    await upgrade(aged(release))
    // A cent that a dump lost is noticed.
    await expect(upgrade(withoutCent(release))).rejects.toThrow(/to deeply equal/)
  },
  UPGRADE_WITHIN_MS,
)
