import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackBrowser } from './browser.ts'
import { startServer } from './servers/server.ts'
import { startTapeDatabases } from './servers/tape-databases.ts'

/** Unpacks one browser, and starts one server and the databases of others for the whole run; removes all afterwards. */
export default async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  // When run as root, the database runs as another user, who needs access to the folder.
  chmodSync(folder, 0o711)
  try {
    process.env.E2E_BROWSER = JSON.stringify(await unpackBrowser(folder))
    const databases = await startTapeDatabases(join(folder, 'tapes'))
    const server = await startServer({ dataDir: join(folder, 'data') })
    process.env.E2E_ORIGIN = server.origin
    process.env.E2E_DATA = join(folder, 'data')
    return async () => {
      await server.stop()
      await databases.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}
