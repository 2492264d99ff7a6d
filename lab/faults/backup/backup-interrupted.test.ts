import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { checkBackup, createBackup, listBackups, openTarget, restoreBackup } from '#ops/backup/index.ts'
import { connectForBackup } from '#ops/backup/replication.ts'
import { folderTarget, key, objectsOf, source, TIMEOUT_MS, verify } from '#tests/support/servers/backups.ts'
import { startInstallation } from '#tests/support/servers/installation.ts'
import { dataFolder } from '#tests/support/servers/server.ts'
import { smallDisk } from '#tests/support/servers/small-disk.ts'

test('a slow reader gets the whole backup, and the connection stays usable', async () => {
  const { superUrl } = await startInstallation()
  const client = await connectForBackup(superUrl)
  onTestFinished(() => client.close())
  let bytes = 0
  const slowly = async (piece: Buffer) => {
    bytes += piece.length
    await sleep(1)
  }
  await client.baseBackup({ label: 'slow', archive: slowly, manifest: slowly })
  expect(bytes).toBeGreaterThan(10_000_000)
  expect(await client.rows('select 1 as one')).toEqual([{ one: 1 }])
})

test(
  'two concurrent backups are both complete and restorable',
  async () => {
    const installation = await startInstallation()
    const { target } = await folderTarget()
    const made = await Promise.all([1, 2].map(() => createBackup({ ...source(installation), target, key })))
    for (const { id } of made) {
      await checkBackup(target, key, id)
      await restoreBackup({ target, key, id, into: join(dataFolder(), 'restored'), verify })
    }
  },
  TIMEOUT_MS,
)

test(
  'a backup that fails midway leaves nothing that looks complete',
  async () => {
    const installation = await startInstallation()
    const { folder, target } = await folderTarget()
    let left = 3
    const failing = {
      ...target,
      async write(name: string, bytes: Buffer) {
        if (left-- === 0) throw new Error('unplugged')
        await target.write(name, bytes)
      },
    }
    await expect(createBackup({ ...source(installation), target: failing, key })).rejects.toThrow('unplugged')
    expect(objectsOf(folder)).toEqual([])
    // The same if the written files can't be removed any more.
    left = 3
    const gone = {
      ...failing,
      list: () => Promise.reject(new Error('unplugged')),
      remove: () => Promise.reject(new Error('unplugged')),
    }
    await expect(
      createBackup({ ...source(installation), target: { ...gone, list: target.list }, key }),
    ).rejects.toThrow('unplugged')
    const { complete, incomplete } = await listBackups(target)
    expect([complete.length, incomplete.length]).toEqual([0, 1])
    await expect(restoreBackup({ target, key, into: join(folder, 'into'), verify })).rejects.toThrow(
      /no complete backups/,
    )
    await createBackup({ ...source(installation), target, key })
    expect((await listBackups(target)).complete).toHaveLength(1)
  },
  TIMEOUT_MS,
)

test(
  'reports a full disk, and leaves nothing that looks complete',
  async (context) => {
    const disk = smallDisk(context, 100)
    const installation = await startInstallation()
    const target = await openTarget(join(disk.folder, 'backups'))
    disk.fill()
    await expect(createBackup({ ...source(installation), target, key })).rejects.toThrow(/its disk is full/)
    disk.free()
    expect((await listBackups(target)).complete).toEqual([])
    await createBackup({ ...source(installation), target, key })
    const into = join(disk.folder, 'restored')
    disk.fill()
    await expect(restoreBackup({ target, key, into, verify })).rejects.toThrow(/restored is full/)
    expect(readdirSync(disk.folder).sort()).toEqual(['backups', 'ballast'])
  },
  TIMEOUT_MS,
)
