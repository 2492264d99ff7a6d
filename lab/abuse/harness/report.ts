import type { AttackResult, Finding } from './run.ts'

/** Formats the results of an attack. */
export function reportOf(result: AttackResult): string {
  const { sent, seconds, statuses, calls, latency, findings } = result
  const rate = Math.round(sent / Math.max(seconds, 0.001))
  const accepted = [...calls.values()].filter((call) => call.accepted > 0).length
  return [
    `${sent} requests in ${Math.round(seconds)} s (${rate}/s) to ${calls.size} calls, of which ${accepted} accepted some`,
    `response after ${latency.p50} ms at p50, ${latency.p99} ms at p99, ${latency.longest} ms at most`,
    ...[...statuses]
      .sort(([, a], [, b]) => b - a)
      .map(
        ([status, count]) =>
          `  ${status === 0 ? 'none' : ` ${status}`} ${String(count).padStart(8)}  ${((100 * count) / sent).toFixed(1)} %`,
      ),
    `${findings.length} findings`,
  ].join('\n')
}

/** Formats each kind of finding once, with its request and the command that repeats it. */
export function findingsOf({ findings }: AttackResult, seed: number): string {
  const kinds = new Map<string, { count: number; first: Finding; says: string }>()
  for (const finding of findings)
    for (const { oracle, says } of finding.verdicts) {
      const key = `${oracle}: ${says.slice(0, 60)}`
      const kind = kinds.get(key)
      if (kind) kind.count++
      else kinds.set(key, { count: 1, first: finding, says: `${oracle}: ${says}` })
    }
  return [...kinds.values()]
    .map(
      ({ count, first, says }) =>
        `${says} (${count} times)\n  ${first.what}\n  repeat: npm run abuse -- --seed ${seed} --only ${first.number}\n${first.request.replaceAll(/^/gm, '    ')}`,
    )
    .join('\n\n')
}
