import type { Round } from './run.ts'

/** Returns the table of a run, as docs/reliability.md has it. */
export function tableOf(rounds: readonly Round[]): string {
  const header = ['fault', 'rounds', 'injected', 'operations', 'acknowledged', 'sent again', 'up after', 'findings']
  const rows = [...Map.groupBy(rounds, ({ fault }) => fault)].map(([fault, all]) => {
    const sum = (of: (round: Round) => number) => all.reduce((total, round) => total + of(round), 0)
    const longest = Math.max(...all.map(({ recoveryMs }) => recoveryMs)) / 1_000
    return [
      fault.says,
      all.length,
      sum(({ injected }) => injected),
      sum(({ operations }) => operations),
      sum(({ acknowledged }) => acknowledged),
      sum(({ unknown }) => unknown),
      `${longest.toFixed(1)} s`,
      sum(({ findings }) => findings.length),
    ].map(String)
  })
  return markdown(header, rows)
}

export function markdown(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)].join('\n')
}
