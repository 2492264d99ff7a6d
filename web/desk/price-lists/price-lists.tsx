import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { PAGES } from '#contract/desk/terms.ts'
import type { PriceLists as Lists } from '#contract/trading/price-lists.ts'
import { problemOf } from '#web/client/index.ts'
import { Alert, Button, Card, formatDateTime, ListError, Page, SkeletonRows } from '#web/ui/index.ts'
import { OFTEN_MS, queryOf } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import { useMay } from '../session.ts'
import { DocumentView } from './document-view.tsx'
import { ListsEditor } from './lists-editor.tsx'
import styles from './price-lists.module.css'

/** Which odds are offered, where and when. One admin proposes a change of them; another decides in the queue. */
export default function PriceLists() {
  const may = useMay(PAGES.priceLists.acts)
  const [isEditing, setEditing] = useState(false)
  const lists = useQuery(queryOf('GET /public/price-lists', undefined, OFTEN_MS))
  const pending = useQuery(queryOf('GET /desk/price-lists', { query: { status: 'Pending' } }, OFTEN_MS)).data?.data[0]
  const problem = problemOf(lists)
  const versions = lists.data?.data.versions ?? []
  const newest = versions.at(-1)
  return (
    <Page
      title="Price lists"
      intro="Which odds traders are offered, by symbol, duration and hour. Every change takes two admins. Open trades keep their terms."
      {...(may && !isEditing && !pending && newest
        ? { actions: <Button onClick={() => setEditing(true)}>Change the lists</Button> }
        : {})}
    >
      <DeskTitle>Price lists</DeskTitle>
      {problem && <ListError {...problem} />}
      {lists.isPending && !problem && <SkeletonRows rows={6} label="Loading the price lists" />}
      {pending && (
        <Alert kind="info">
          A change has been proposed by {pending.proposed_by.email}.{' '}
          <Link to={`/price-lists/${pending.id}`}>Open the proposal</Link>
        </Alert>
      )}
      {isEditing && newest && (
        <Card title="Change the lists">
          <ListsEditor key={newest.version} document={newest.document} onDone={() => setEditing(false)} />
        </Card>
      )}
      {lists.data && <Versions lists={lists.data.data} />}
    </Page>
  )
}

function Versions({ lists: { versions, history } }: { lists: Lists }) {
  return (
    <>
      {versions.map(({ version, from, document }) => (
        <Card key={version} title={`Version ${version}`}>
          {from !== null && <p className={styles.hint}>From {formatDateTime(from)}</p>}
          <DocumentView document={document} />
        </Card>
      ))}
      {history.length > 1 && (
        <Card title="Versions">
          <ol className={styles.rows}>
            {history.map(({ version, from }) => (
              <li key={version}>
                <span>Version {version}</span>
                <span>{from === null ? 'The first' : formatDateTime(from)}</span>
              </li>
            ))}
          </ol>
        </Card>
      )}
    </>
  )
}
