import type { SolvencyProof } from '#contract/prices/proof.ts'
import { formatUsd } from '#web/ui/index.ts'
import { balancesOf, type Level, levelsOf } from './levels.ts'
import styles from './solvency.module.css'

/** The paths from a trader's entries up to everyone's: at each level, the group is joined with its sibling. */
export function Paths({ proof: { entries, statement } }: { proof: SolvencyProof }) {
  return (
    <>
      <p className={styles.note}>
        {entries.length > 1 &&
          `Your balances are split at random into ${entries.length} entries, so that no neighbour sees them. `}
        Each line adds a neighbour’s sum to the line below. Their order is random, and no one else’s name is in it.
      </p>
      <div className={styles.paths}>
        {entries.map((entry, at) => (
          <Path
            key={entry.position}
            levels={levelsOf(entry, statement.entries ?? statement.accounts)}
            own={balancesOf([entry]).total}
            name={entries.length > 1 ? `You, ${at + 1} of ${entries.length}` : 'You'}
          />
        ))}
      </div>
    </>
  )
}

function Path({ levels, own, name }: { levels: readonly Level[]; own: number; name: string }) {
  return (
    <ol className={styles.path} reversed>
      {levels.toReversed().map((level) => (
        <LevelLine key={level.entries} level={level} isAll={level === levels.at(-1)} />
      ))}
      <li className={styles.level}>
        <span className={styles.who}>{name}</span>
        <span className={styles.sum}>{formatUsd(own / 100)}</span>
      </li>
    </ol>
  )
}

function LevelLine({ level: { entries, own, neighbour, sum }, isAll }: { level: Level; isAll: boolean }) {
  return (
    <li className={styles.level}>
      <span className={styles.who}>{isAll ? 'Everyone' : `Group of ${entries.toLocaleString('en-US')}`}</span>
      <span className={styles.sum}>{formatUsd(sum / 100)}</span>
      <span className={styles.parts}>
        {formatUsd(own / 100)} + {formatUsd(neighbour / 100)}
      </span>
      <meter className={styles.bar} min={0} max={sum} value={own} aria-hidden />
    </li>
  )
}
