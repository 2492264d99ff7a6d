import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)]
/** Files that gain by it; pictures and fonts are packed already, pages are filled first and packed by the server. */
const PACKABLE = /\.(js|css|svg|webmanifest)$/

/** Writes a `.br` and a `.gz` beside each file below `folder` that gains by it, so that no answer waits for packing. */
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
