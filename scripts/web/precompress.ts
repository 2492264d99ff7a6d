import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)]
/**
 * Files worth compressing. Images and fonts are already compressed; the server fills pages first and compresses them
 * itself.
 */
const PACKABLE = /\.(js|css|svg|webmanifest)$/

/**
 * Writes a `.br` and a `.gz` next to each compressible file below `folder`, so that no response waits for compression.
 */
export async function precompress(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && PACKABLE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  await Promise.all(
    files.map(async (file) => {
      const bytes = readFileSync(file)
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
      writeFileSync(`${file}.br`, await toBrotli(bytes, { params }))
      writeFileSync(`${file}.gz`, await toGzip(bytes, { level: 9 }))
    }),
  )
}
