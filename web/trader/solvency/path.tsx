import type { SolvencyProof } from '#contract/proof.ts'
import { formatUsd } from '#web/ui/index.ts'
import { type Level, levelsOf, ownCents } from './levels.ts'
import styles from './solvency.module.css'

/** The path from a trader's balances up to everyone's: at each level, their group is joined with its sibling. */
export function Path({ proof }: { proof: SolvencyProof }) {
  const levels = levelsOf(proof)
  const own = ownCents(proof)
  return (
    <>
      <p className={styles.note}>
        Each line adds a neighbour’s sum to the line below. Their order is random, and no one else’s name is in it.
      </p>
      <ol className={styles.path} reversed>
        {levels.toReversed().map((level) => (
          <LevelLine key={level.traders} level={level} isAll={level === levels.at(-1)} />
        ))}
        <li className={styles.level}>
          <span className={styles.who}>You</span>
          <span className={styles.sum}>{formatUsd(own / 100)}</span>
        </li>
      </ol>
    </>
  )
}

function LevelLine({ level: { traders, own, neighbour, sum }, isAll }: { level: Level; isAll: boolean }) {
  return (
    <li className={styles.level}>
      <span className={styles.who}>{isAll ? 'Everyone' : `Group of ${traders.toLocaleString('en-US')}`}</span>
      <span className={styles.sum}>{formatUsd(sum / 100)}</span>
      <span className={styles.parts}>
        {formatUsd(own / 100)} + {formatUsd(neighbour / 100)}
      </span>
      <meter className={styles.bar} min={0} max={sum} value={own} aria-hidden />
    </li>
  )
}
