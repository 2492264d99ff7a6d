import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackBrowser } from './browser.ts'
import { startServer } from './server.ts'

/** One browser unpacked and one server started for the whole run; both are gone afterwards. */
export default async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  // As root, the database runs as a separate user, which must be able to enter.
  chmodSync(folder, 0o711)
  try {
    process.env.E2E_BROWSER = JSON.stringify(await unpackBrowser(folder))
    const server = await startServer({ dataDir: join(folder, 'data') })
    process.env.E2E_ORIGIN = server.origin
    process.env.E2E_DATA = join(folder, 'data')
    return async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}
