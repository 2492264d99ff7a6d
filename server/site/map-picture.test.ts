import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { photo, SVG } from '#tests/support/pictures.ts'
import { readConfig } from '../config/config.ts'
import { serveMap } from './map-picture.ts'

const folder = mkdtempSync(join(tmpdir(), 'cleartick-map-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function configOf(site: Record<string, unknown>) {
  const SITE_FILE = join(folder, 'site.json')
  writeFileSync(SITE_FILE, JSON.stringify(site))
  return readConfig({ DATA_DIR: folder, SITE_FILE })
}

test('leaves the map area empty by default, and shows an address without a picture as text', async () => {
  expect(await serveMap(fastify(), configOf({}))).toBe('')
  expect(await serveMap(fastify(), configOf({ address: '1 <Market> Street' }))).toBe(
    '<figure><figcaption>1 &#60;Market&#62; Street</figcaption></figure>',
  )
})

test('serves the picture without its metadata, under a name that changes with it', async () => {
  writeFileSync(join(folder, 'map.jpg'), await photo(2400, 800))
  const app = fastify()
  const html = await serveMap(app, configOf({ address: '1 Market Street', mapPicture: 'map.jpg' }))
  const [, path] =
    /<img src="(\/assets\/map-[0-9a-f]{16}\.jpg)" width="533" height="1600" alt="Map: 1 Market Street"/.exec(html)!
  const { headers, rawPayload } = await app.inject(path!)
  expect(headers).toMatchObject({
    'content-type': 'image/jpeg',
    'cache-control': 'public, max-age=31536000, immutable',
  })
  const { exif, width, height } = await sharp(rawPayload).metadata()
  expect({ exif, width, height }).toEqual({ exif: undefined, width: 533, height: 1600 })
})

test.each([
  ['is missing', undefined],
  ['is an SVG with a script', SVG],
  ['is cut off', Buffer.from('ffd8ffe000104a46494600', 'hex')],
])('stops the start if the picture %s', async (_what, bytes) => {
  rmSync(join(folder, 'bad.jpg'), { force: true })
  if (bytes) writeFileSync(join(folder, 'bad.jpg'), bytes)
  await expect(serveMap(fastify(), configOf({ mapPicture: 'bad.jpg' }))).rejects.toThrow(
    /SITE_FILE names .*bad\.jpg as mapPicture, which cannot be used/,
  )
})
