import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Reads a stream to its end, and returns by how many bytes the memory in use (after garbage collection) has grown from
 * its first to its last quarter: nothing, if data is released once read. What a stream keeps grows from each quarter to
 * the next, so three times the smallest of these steps counts: a single one comes from elsewhere in the process. Takes
 * samples at regular byte counts.
 */
export async function memoryWhileReading(
  stream: AsyncIterable<Uint8Array>,
  everyBytes: number,
): Promise<{ bytes: number; growth: number }> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const samples: number[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const before = bytes
    bytes += chunk.length
    if (Math.floor(before / everyBytes) === Math.floor(bytes / everyBytes)) continue
    collect()
    const { heapUsed, external } = process.memoryUsage()
    samples.push(heapUsed + external)
  }
  if (samples.length < 8) throw new Error(`only ${samples.length} samples in ${bytes} bytes`)
  const quarter = Math.floor(samples.length / 4)
  const medians = [0, 1, 2, 3].map((n) => median(samples.slice(n * quarter, (n + 1) * quarter)))
  const steps = medians.slice(1).map((value, n) => value - medians[n]!)
  return { bytes, growth: 3 * Math.min(...steps) }
}

const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1]!
