import type { Round } from './run.ts'

/** Formats the table of a run for docs/reliability.md. */
export function tableOf(rounds: readonly Round[]): string {
  const figures = [...new Set(rounds.flatMap((round) => Object.keys(round.figures)))]
  const counts = ['rounds', 'injected', 'operations', 'acknowledged', 'sent again']
  const header = ['fault', ...counts, 'up after', ...figures, 'findings']
  const rows = [...Map.groupBy(rounds, ({ fault }) => fault)].map(([fault, all]) => {
    const sum = (of: (round: Round) => number) => all.reduce((total, round) => total + of(round), 0)
    const longest = (of: (round: Round) => number) => `${(Math.max(...all.map(of)) / 1_000).toFixed(1)} s`
    return [
      fault.says,
      all.length,
      sum(({ injected }) => injected),
      sum(({ operations }) => operations),
      sum(({ acknowledged }) => acknowledged),
      sum(({ unknown }) => unknown),
      longest(({ recoveryMs }) => recoveryMs),
      ...figures.map((name) => longest((round) => round.figures[name] ?? 0)),
      sum(({ findings }) => findings.length),
    ].map(String)
  })
  return markdown(header, rows)
}

function markdown(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)].join('\n')
}

/** The result of planting a bug. */
export interface Planted {
  name: string
  /** What the bug does. */
  says: string
  faults: readonly string[]
  /** The checks that caught it, each with its first finding; empty if none did. */
  caughtBy: ReadonlyMap<string, string>
  /** Why it couldn't be tested. */
  problem?: string
}

/** Formats the table of planted bugs for docs/reliability.md. */
export const plantedTable = (all: readonly Planted[]): string =>
  markdown(
    ['planted bug', 'fault', 'caught by'],
    all.map(({ says, faults, caughtBy, problem }) => [
      says.replace(/\.$/, ''),
      [...new Set(faults)].map((name) => `\`${name}\``).join(', '),
      problem ?? ([...caughtBy.keys()].map((name) => `\`${name}\``).join(', ') || '**nothing**'),
    ]),
  )
