import { createReadStream, type ReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, type Readable, Transform } from 'node:stream'
import { DAY_MS, HOUR_MS, type Ms } from '#kernel/time.ts'

/** How many days are kept: a day is some 100 MB. */
const MOST = 7
/** After this, a day is over for every copy of the database. */
const LATE_MS = HOUR_MS

/** Files of finished days that were downloaded, so that the next download costs no query. */
export interface KeptDays {
  /** Opens the file of a day, if it's kept. */
  open(day: string): Promise<ReadStream | undefined>
  /** Returns the stream, of which a copy is kept if it's read to its end and the day is over. */
  keep(day: string, stream: Readable): Promise<Readable>
}

/** Keeps days in a folder. Those of the oldest days make room for others. */
export function keptDays(folder: string, now: () => Ms): KeptDays {
  const pathOf = (day: string) => join(folder, `${day}.gz`)
  let parts = 0

  async function store(day: string, part: string): Promise<void> {
    await rename(part, pathOf(day))
    const days = (await readdir(folder)).filter((name) => name.endsWith('.gz')).sort()
    for (const name of days.slice(0, -MOST)) await rm(join(folder, name), { force: true })
  }

  return {
    async open(day) {
      const path = pathOf(day)
      return (await stat(path).catch(() => undefined)) && createReadStream(path)
    },

    async keep(day, stream) {
      if (Date.parse(`${day}T00:00:00Z`) + DAY_MS + LATE_MS > now()) return stream
      const part = join(folder, `${day}.${process.pid}-${parts++}.part`)
      // A disk that is full or read-only costs the copy, not the download.
      const file = await mkdir(folder, { recursive: true, mode: 0o700 })
        .then(() => open(part, 'w', 0o600))
        .catch(() => undefined)
      if (!file) return stream
      let isWhole = true
      const failed = () => {
        isWhole = false
      }
      const copying = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          const written = isWhole ? file.appendFile(chunk).catch(failed) : Promise.resolve()
          void written.then(() => done(null, chunk))
        },
        flush(done) {
          const stored = isWhole ? store(day, part) : Promise.resolve()
          void stored.catch(failed).then(() => done())
        },
        destroy(error, done) {
          void Promise.allSettled([file.close(), rm(part, { force: true })]).then(() => done(error))
        },
      })
      return pipeline(stream, copying, () => undefined)
    },
  }
}
