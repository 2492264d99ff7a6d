import { fieldProblem, Problem, sentence } from '#contract/problem.ts'
import { atMost } from '../process/at-most.ts'

const TAKEN = new Set(['image/jpeg', 'image/png', 'image/webp'])
const NOT_TAKEN = 'must be a JPEG, PNG or WebP image'
/** A 750 kB PNG can decompress to 256 megapixels; a phone's camera of '50 megapixels' makes a little more. */
const PIXELS_MAX = 50_400_000
const SECONDS_MAX = 10
const QUALITY = 85

// Each decoded picture takes up to several hundred MB of memory.
const inTurn = atMost(1, { waiting: 20, patienceMs: 20_000 })

/** Loaded by the first picture: every process would pay their time and memory at the start. */
async function libraries() {
  const [{ fileTypeFromBuffer }, { default: sharp }] = await Promise.all([import('file-type'), import('sharp')])
  // Decoded pictures are never needed twice; without this the library caches them.
  sharp.cache(false)
  return { fileTypeFromBuffer, sharp }
}

/**
 * Re-encodes an uploaded picture as JPEG, upright and within `side` pixels, so that nothing else in the file (location,
 * comments, scripts) survives. The format is detected from the bytes, not the name. Throws `unsupported_media_type` for
 * anything but JPEG, PNG and WebP, and `validation_failed` on `field` if the picture is broken, empty or decodes to too
 * many pixels.
 */
export async function reencodePicture(unchecked: Buffer, field: string, side: number): Promise<Buffer> {
  if (unchecked.length === 0) throw fieldProblem(field, 'is empty')
  const { fileTypeFromBuffer, sharp } = await libraries()
  const kind = await fileTypeFromBuffer(unchecked)
  if (!kind || !TAKEN.has(kind.mime)) {
    throw new Problem('unsupported_media_type', sentence(field, NOT_TAKEN), { errors: [{ field, message: NOT_TAKEN }] })
  }
  return inTurn(async () => {
    const picture = sharp(unchecked, { limitInputPixels: PIXELS_MAX, failOn: 'error', pages: 1, sequentialRead: true })
    try {
      const { width, height } = await picture.metadata()
      if (width * height > PIXELS_MAX) throw new Error('too many pixels')
      return await picture
        .rotate()
        .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
        .flatten({ background: '#ffffff' })
        .jpeg({ quality: QUALITY, mozjpeg: false })
        .timeout({ seconds: SECONDS_MAX })
        .toBuffer()
    } catch (error) {
      const reason = error instanceof Error ? error.message : ''
      throw fieldProblem(
        field,
        /pixel/i.test(reason) ? 'has too many pixels: at most 50 megapixels' : 'cannot be read as an image',
      )
    }
  })
}

/** Returns the width and height in pixels of a picture that `reencodePicture` returned. */
export async function sizeOfPicture(picture: Buffer): Promise<{ width: number; height: number }> {
  const { sharp } = await libraries()
  const { width, height } = await sharp(picture).metadata()
  return { width, height }
}
