import sharp from 'sharp'
import { expect, test } from 'vitest'
import { GIF, HTML, PDF, photo, pngBomb, SCRIPT, SVG, webp } from '#tests/support/pictures.ts'
import { reencodePicture } from './index.ts'

const reencode = (bytes: Buffer) => reencodePicture(bytes, 'id_file', 2_400)

test('re-encodes a photo as an upright JPEG within bounds, without its location', async () => {
  const given = await photo(4_000, 3_000)
  expect((await sharp(given).metadata()).exif).toBeDefined()
  expect(given.includes('Secret Artist')).toBe(true)
  const made = await reencode(given)
  const { format, width, height, exif, orientation, xmp, iptc, icc } = await sharp(made).metadata()
  expect({ format, exif, orientation, xmp, iptc, icc }).toEqual({ format: 'jpeg' })
  // The camera was held upright (orientation 6): the picture is rotated, then fitted.
  expect([width, height]).toEqual([1_800, 2_400])
  expect(made.includes('Secret Artist')).toBe(false)
})

test('converts PNG and WebP to JPEG with a white background', async () => {
  const { data } = await sharp(await reencode(await webp()))
    .raw()
    .toBuffer({ resolveWithObject: true })
  expect([...data.subarray(0, 3)]).toEqual([255, 255, 255])
})

test.each([
  ['SVG', SVG],
  ['HTML', HTML],
  ['GIF', GIF],
  ['PDF', PDF],
  ['text', Buffer.from('hello')],
])('rejects %s with 415 and the accepted types', async (_kind, bytes) => {
  await expect(reencode(bytes)).rejects.toMatchObject({
    code: 'unsupported_media_type',
    httpStatus: 415,
    message: 'File must be a JPEG, PNG or WebP image',
  })
})

test('rejects broken, empty and decompression-bomb images with 422 on the field', async () => {
  const whole = await photo()
  const bomb = pngBomb(16_000)
  expect(bomb.length).toBeLessThan(200_000)
  for (const [bytes, message] of [
    [Buffer.alloc(0), 'is empty'],
    [whole.subarray(0, whole.length / 2), 'cannot be read as an image'],
    [pngBomb(100).subarray(0, 60), 'cannot be read as an image'],
    [bomb, 'has too many pixels: at most 50 megapixels'],
  ] as const) {
    await expect(reencode(bytes)).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'id_file', message }],
    })
  }
})

test('removes an embedded HTML page from an image', async () => {
  const polyglot = Buffer.concat([await photo(), Buffer.from(SCRIPT)])
  const made = await reencode(polyglot)
  expect(made.includes('script')).toBe(false)
})
