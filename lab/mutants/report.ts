/** The parts of Stryker's JSON report that we read. */
export interface MutationReport {
  files: Record<
    string,
    {
      source: string
      mutants: {
        mutatorName: string
        replacement?: string
        status: string
        location: { start: { line: number; column: number }; end: { line: number; column: number } }
      }[]
    }
  >
}

export interface FileScore {
  file: string
  /** Detected by a test, or stuck in an endless loop. */
  killed: number
  survived: number
  /** No test runs them. */
  uncovered: number
}

const KILLED = ['Killed', 'Timeout']

/** Counts the mutants of each file, ignoring those that fail to load. */
export function scoresOf({ files }: MutationReport): FileScore[] {
  return Object.entries(files).map(([file, { mutants }]) => {
    const count = (statuses: readonly string[]) => mutants.filter(({ status }) => statuses.includes(status)).length
    return { file, killed: count(KILLED), survived: count(['Survived']), uncovered: count(['NoCoverage']) }
  })
}

/** Returns the scores as a Markdown table. */
export function tableOf(scores: readonly FileScore[]): string {
  const total = { file: '**all**', killed: 0, survived: 0, uncovered: 0 }
  for (const { killed, survived, uncovered } of scores) {
    total.killed += killed
    total.survived += survived
    total.uncovered += uncovered
  }
  const lines = [...scores, total].map(({ file, killed, survived, uncovered }) => {
    const all = killed + survived + uncovered
    const score = all === 0 ? '' : `${((100 * killed) / all).toFixed(1)} %`
    return `| ${file} | ${all} | ${killed} | ${survived} | ${uncovered} | ${score} |`
  })
  return [
    '| file | mutants | noticed | survived | not run by a test | score |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

/** Lists mutants that no test noticed: file, line, the change, and the original line. */
export function survivorsOf({ files }: MutationReport): string {
  const lines: string[] = []
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const text = source.split('\n')
    for (const { status, mutatorName, replacement, location } of mutants) {
      if (status !== 'Survived' && status !== 'NoCoverage') continue
      const { start, end } = location
      const was = start.line === end.line ? text[start.line - 1]!.slice(start.column - 1, end.column - 1) : '…'
      lines.push(`${file}:${start.line} ${status} ${mutatorName}: ${was} → ${replacement ?? ''}`)
      lines.push(`    ${text[start.line - 1]!.trim()}`)
    }
  }
  return `${lines.join('\n')}\n`
}
