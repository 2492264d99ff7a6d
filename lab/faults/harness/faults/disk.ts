import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyData } from '#tests/support/servers/server.ts'
import type { World } from '../world.ts'
import type { Fault } from './fault.ts'

const MEBIBYTES = 600
const FULL_MS = 5_000

/** A disk that fills up. Moves PostgreSQL's files to a small in-memory file system, which needs root. */
export const disks: Fault[] = [
  {
    name: 'disk-full',
    says: 'no room left for tables and WAL for 5 s',
    group: 'disk',
    missing: () => (process.getuid?.() === 0 ? undefined : 'only root can mount a small disk'),
    async enter({ world }) {
      const { folder, aside } = foldersOf(world)
      const { mode, uid, gid } = statSync(folder)
      renameSync(folder, aside)
      mkdirSync(folder)
      mount(['-t', 'tmpfs', '-o', `size=${MEBIBYTES}m`, 'tmpfs', folder], 'mount')
      world.atClose(() => void spawnSync('umount', ['--lazy', folder]))
      chownSync(folder, uid, gid)
      chmodSync(folder, mode & 0o777)
      copyData(aside, folder)
      await world.start()
    },
    async inject({ world }) {
      const ballast = join(foldersOf(world).folder, 'ballast')
      for (const until = performance.now() + FULL_MS; performance.now() < until; await sleep(200)) fill(ballast)
      rmSync(ballast)
      return 1
    },
    async leave({ world }) {
      const { folder, aside } = foldersOf(world)
      rmSync(aside, { recursive: true })
      mkdirSync(aside)
      const { mode, uid, gid } = statSync(folder)
      chownSync(aside, uid, gid)
      chmodSync(aside, mode & 0o777)
      copyData(folder, aside)
      mount([folder], 'umount')
      rmSync(folder, { recursive: true })
      renameSync(aside, folder)
    },
  },
]

const foldersOf = ({ dataDir }: World) => ({
  folder: join(dataDir, 'postgres'),
  aside: join(dataDir, 'postgres-aside'),
})

function mount(args: string[], command: 'mount' | 'umount'): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command}: ${stderr}`)
}

/** Appends to a file until the disk is full. */
function fill(file: string): void {
  const to = openSync(file, 'a')
  for (let bytes = 1 << 20; bytes >= 1; ) {
    try {
      if (writeSync(to, Buffer.alloc(bytes)) < bytes) bytes >>= 1
    } catch {
      bytes >>= 1
    }
  }
  closeSync(to)
}
