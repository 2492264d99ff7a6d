import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { draws } from '../../tests/support/random.ts'

/** Lines per block. Changes that span several blocks aren't made. */
const BLOCK = 12

/** Samples a share of each file as blocks of lines, at least one per file, in Stryker's format: `file:from-to`. */
export function sampled(root: string, files: readonly string[], share: number, seed: number): string[] {
  const { random } = draws(seed)
  return files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length
    const blocks = Array.from({ length: Math.ceil(lines / BLOCK) }, (_, i) => ({ i, at: random() }))
    const drawn = blocks.sort((a, b) => a.at - b.at).slice(0, Math.max(1, Math.round(blocks.length * share)))
    return drawn.map(({ i }) => `${file}:${i * BLOCK + 1}-${Math.min(lines, (i + 1) * BLOCK)}`)
  })
}
