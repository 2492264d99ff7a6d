import { useState } from 'react'
import { Link } from 'react-router'
import type { DeskPublishedStrategy } from '#contract/desk/markets/published-strategies.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { CardLine, type Column, Fact, Facts, Field, formatDateTime, Modal } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { Filters } from '../parts/filters.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { useLater } from '../parts/use-later.ts'
import { ItemActions } from '../queues/screen/item-actions.tsx'
import { useMay } from '../session.ts'

const count = (number: number) => number.toLocaleString('en-US')

const COLUMNS: readonly Column<DeskPublishedStrategy>[] = [
  { head: 'Name', kind: 'name', cell: (row) => row.name },
  { head: 'Author', cell: (row) => <Link to={`/users/${row.user_id}`}>{row.email}</Link> },
  { head: 'Published', kind: 'quiet', cell: (row) => formatDateTime(row.published_at) },
  { head: 'Real followers', kind: 'figure', cell: (row) => count(row.followers_real) },
  { head: 'Demo followers', kind: 'figure', cell: (row) => count(row.followers_demo) },
]

/** Strategies that traders have published. A risk operator can withdraw one. */
export default function PublishedStrategies() {
  const [typed, setTyped] = useState('')
  const name = useLater(typed.trim(), 250)
  const [chosen, setChosen] = useState<DeskPublishedStrategy>()
  return (
    <ListPage<DeskPublishedStrategy>
      title="Published strategies"
      intro="What traders have published, and how many accounts follow it automatically. A withdrawn strategy keeps its public record."
      of="strategy"
      path="/desk/published-strategies"
      filter={{ name }}
      filters={
        <Filters>
          <Field label="Name" value={typed} onChange={(event) => setTyped(event.target.value)} />
        </Filters>
      }
      read={(query, signal) => call('GET /desk/published-strategies', { query, signal })}
      keyOf={(row) => row.id}
      columns={COLUMNS}
      card={(row) => (
        <>
          <CardLine>
            <span>{row.name}</span>
            <span>{count(row.followers_real)} real</span>
          </CardLine>
          <CardLine quiet>
            <span>{row.email}</span>
            <span>{count(row.followers_demo)} demo</span>
          </CardLine>
        </>
      )}
      onOpen={setChosen}
      openLabel={(row) => `Details of ${row.name}`}
    >
      <Modal open={chosen !== undefined} onClose={() => setChosen(undefined)} title={chosen?.name ?? ''} wide>
        {chosen && <Details strategy={chosen} onDone={() => setChosen(undefined)} />}
      </Modal>
    </ListPage>
  )
}

function Details({ strategy, onDone }: { strategy: DeskPublishedStrategy; onDone: () => void }) {
  const may = useMay(PAGES.automatic.acts)
  return (
    <>
      <Facts>
        <Fact name="Author">
          <Link to={`/users/${strategy.user_id}`}>{strategy.email}</Link>
        </Fact>
        <Fact name="What it does">{strategy.sentence}</Fact>
        <Fact name="Version">{strategy.version}</Fact>
        <Fact name="Published">{formatDateTime(strategy.published_at)}</Fact>
        <Fact name="Followers">
          {count(strategy.followers_real)} with real money, {count(strategy.followers_demo)} in demo
        </Fact>
      </Facts>
      {may && (
        <ItemActions
          blocked={undefined}
          actions={[
            {
              key: 'w',
              label: 'Withdraw',
              look: 'danger',
              asks: {
                label: 'Reason',
                kind: 'long',
                hint: 'The author reads this. Followers stop at once; their open trades settle as usual.',
              },
              run: async (reason) => {
                await call('POST /desk/published-strategies/:id/withdraw', {
                  params: { id: strategy.id },
                  body: { reason },
                })
                onDone()
                return `${strategy.name} is withdrawn.`
              },
            },
          ]}
        />
      )}
    </>
  )
}
