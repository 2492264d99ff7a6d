import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import { reencodePicture, sizeOfPicture } from '../platform/files/index.ts'
import { escapeHtml } from '../platform/mail/index.ts'
import { StartProblem } from '../platform/process/start-problem.ts'

/** Longest side in pixels: the area is at most 1,200 px wide, and some screens have two pixels for each. */
const LONGEST_SIDE = 1600

/**
 * Serves the operator's picture of their address from this site and returns the HTML of the contact page's map area:
 * picture with caption, caption alone, or nothing. The picture is re-encoded, so what the file carries besides pixels
 * isn't published. Throws `StartProblem` if it can't be read.
 */
export async function serveMap(app: FastifyInstance, { mapPicture, site }: Config): Promise<string> {
  const address = String(site.address)
  const caption = address === '' ? '' : `<figcaption>${escapeHtml(address)}</figcaption>`
  if (mapPicture === undefined) return caption && `<figure>${caption}</figure>`
  const picture = await readPicture(mapPicture)
  const { width, height } = await sizeOfPicture(picture)
  const path = `/assets/map-${createHash('sha256').update(picture).digest('hex').slice(0, 16)}.jpg`
  app.get(path, (_request, reply) =>
    reply.type('image/jpeg').header('cache-control', 'public, max-age=31536000, immutable').send(picture),
  )
  const alt = escapeHtml(address === '' ? 'Map of our address' : `Map: ${address}`)
  return `<figure><img src="${path}" width="${width}" height="${height}" alt="${alt}" loading="lazy" decoding="async">${caption}</figure>`
}

async function readPicture(path: string): Promise<Buffer> {
  try {
    return await reencodePicture(await readFile(path), 'mapPicture', LONGEST_SIDE)
  } catch (error) {
    throw new StartProblem(`SITE_FILE names ${path} as mapPicture, which cannot be used: ${(error as Error).message}`)
  }
}
