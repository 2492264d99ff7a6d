import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Reads a stream to its end, and returns how much more memory was in use (after garbage collection) in the rest than in
 * the first quarter: nothing, if data is released once read. Takes samples at regular byte counts.
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
  return { bytes, growth: Math.max(...samples.slice(quarter)) - Math.max(...samples.slice(0, quarter)) }
}
