import { useQuery } from '@tanstack/react-query'
import { problemOf, queryOf } from '#web/api/index.ts'
import { Card, Fact, Facts, ListError, Skeleton } from '#web/ui/index.ts'
import styles from './solvency.module.css'

/** The addresses that the operator publishes as their own. */
export function Assets() {
  const query = useQuery(queryOf('GET /proof/assets'))
  const problem = problemOf(query)
  const assets = query.data?.data
  return (
    <Card title="What we hold" className={styles.card}>
      {problem && <ListError {...problem} />}
      {!assets && !problem && <Skeleton />}
      {assets?.length === 0 && (
        <p>We don’t publish addresses here, so a statement shows what we owe to traders, but not what we hold.</p>
      )}
      {assets && assets.length > 0 && (
        <>
          <p>We state that these addresses are ours. Any block explorer shows their balances.</p>
          <Facts>
            {assets.map(({ name, coin, address }) => (
              <Fact key={address} name={`${name} (${coin})`}>
                <code className={styles.hash}>{address}</code>
              </Fact>
            ))}
          </Facts>
        </>
      )}
    </Card>
  )
}
