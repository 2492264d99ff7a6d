import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { listBackups, type Manifest, placeOf, removeBackup, writeManifest } from './manifest.ts'
import { pruneBackups } from './prune.ts'
import type { Target } from './target.ts'

const key = randomBytes(32)
const NOW = Date.parse('2026-11-22T12:00:00Z')

function memoryTarget(): Target {
  const objects = new Map<string, Buffer>()
  return {
    write: async (name, bytes) => void objects.set(name, bytes),
    read: async (name) => objects.get(name),
    remove: async (name) => void objects.delete(name),
    list: async (beginning) => [...objects.keys()].filter((name) => name.startsWith(beginning)),
  }
}

const idOf = (time: string) => `${new Date(time).toISOString().replace(/[-:.]/g, '')}-0000000000000000`

async function store(target: Target, time: string, parent: string | null): Promise<void> {
  const manifest: Manifest = {
    id: idOf(time),
    startedAt: time,
    finishedAt: time,
    parent: parent === null ? null : idOf(parent),
    database: {
      kind: 'embedded',
      name: 'cleartick',
      owner: 'owner',
      superuser: 'postgres',
      systemId: '1',
      version: '180004',
      startLsn: '0/1',
      endLsn: '0/2',
      timeline: 1,
      migrations: [],
      parts: 1,
      manifestParts: 0,
      bytes: 1,
    },
    files: null,
    filesKey: { fingerprint: '', content: null },
    stored: 1,
  }
  await target.write(`${idOf(time)}/database-00000`, Buffer.alloc(1))
  await writeManifest(placeOf(target, key, idOf(time)), manifest)
}

test('keeps what a restore to any moment of the time needs, removes the rest, and never the newest', async () => {
  const target = memoryTarget()
  await store(target, '2026-11-01T00:00:00Z', null)
  await store(target, '2026-11-02T00:00:00Z', '2026-11-01T00:00:00Z')
  await store(target, '2026-11-10T00:00:00Z', null)
  await store(target, '2026-11-11T00:00:00Z', '2026-11-10T00:00:00Z')
  await store(target, '2026-11-21T00:00:00Z', '2026-11-11T00:00:00Z')
  const [interrupted, underWay] = [idOf('2026-11-20T00:00:00Z'), idOf('2026-11-22T11:00:00Z')]
  for (const id of [interrupted, underWay]) await target.write(`${id}/database-00000`, Buffer.alloc(1))

  const first = [idOf('2026-11-01T00:00:00Z'), idOf('2026-11-02T00:00:00Z')]
  expect((await pruneBackups(target, key, 5, NOW)).sort()).toEqual([...first, interrupted])
  expect(await target.list(first[0]!)).toEqual([])
  expect(await listBackups(target)).toEqual({
    complete: ['2026-11-10', '2026-11-11', '2026-11-21'].map((day) => idOf(`${day}T00:00:00Z`)),
    incomplete: [underWay],
  })
  // A year later, the newest and what it continues are still there.
  await pruneBackups(target, key, 5, NOW + 365 * 86_400_000)
  expect((await listBackups(target)).complete).toHaveLength(3)
})

test('a removal that is interrupted leaves nothing that looks complete', async () => {
  const target = memoryTarget()
  await store(target, '2026-11-01T00:00:00Z', null)
  const id = idOf('2026-11-01T00:00:00Z')
  let removals = 0
  const interrupted: Target = {
    ...target,
    remove: (name) => (removals++ === 1 ? Promise.reject(new Error('unplugged')) : target.remove(name)),
  }
  await expect(removeBackup(interrupted, id)).rejects.toThrow('unplugged')
  expect(await listBackups(target)).toEqual({ complete: [], incomplete: [id] })
})
