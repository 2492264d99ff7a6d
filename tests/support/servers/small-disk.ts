import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished, type TestContext } from 'vitest'
import { discard, postmasterOf } from './server.ts'

/** A disk small enough for a test to fill. */
interface SmallDisk {
  folder: string
  /** Fills all free space. */
  fill(): void
  /** Frees the space again. */
  free(): void
}

/**
 * Mounts an in-memory file system of this many MiB. Only root can mount one: otherwise the test is reported as skipped,
 * with the reason.
 */
export function smallDisk(context: TestContext, mebibytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { encoding: 'utf8' })
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true })
    context.skip(`did not run: a small disk could not be made (${mounted.stderr.trim()})`)
  }
  chmodSync(folder, 0o711)
  onTestFinished(async () => {
    const postmaster = postmasterOf(folder)
    if (postmaster) process.kill(postmaster, 'SIGKILL')
    await sleep(50)
    spawnSync('umount', ['--lazy', folder])
    await discard(folder)
  })
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'a')
      for (let bytes = 1 << 20; bytes >= 1; ) {
        try {
          if (writeSync(file, Buffer.alloc(bytes)) < bytes) bytes >>= 1
        } catch {
          bytes >>= 1
        }
      }
      closeSync(file)
    },
    free: () => rmSync(ballast),
  }
}
