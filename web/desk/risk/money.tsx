import { Link } from 'react-router'
import type { DeskMoney } from '#contract/desk/money/in-and-out.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { CardLine, formatDateTime, formatUsdSigned } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { Filters } from '../parts/filters.tsx'
import { InDays, useDays } from '../parts/in-days.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { useMay } from '../session.ts'

const NAMES = {
  deposit: 'Deposit',
  reversal: 'Reversal',
  reinstatement: 'Reinstatement',
  withdrawal: 'Withdrawal',
} as const satisfies Record<DeskMoney['kind'], string>

/** Money that came in and went out: the rows of net deposits. */
export default function Money() {
  const [days, setDays] = useDays('days')
  return (
    <ListPage<DeskMoney>
      title="Money in and out"
      intro="Credited and reversed deposits, and paid withdrawals. Their sum is the net deposits of the period."
      of="movement"
      path="/desk/money"
      filter={{ days }}
      filters={
        <Filters>
          <InDays label="Period" value={days} onChange={setDays} />
        </Filters>
      }
      read={(query, signal) => call('GET /desk/money', { query: query as { days: '1' }, signal })}
      keyOf={(row) => row.id}
      columns={[
        { head: 'Movement', kind: 'name', cell: (row) => <Item row={row} /> },
        { head: 'User', cell: (row) => <Link to={`/users/${row.user_id}`}>{row.email}</Link> },
        { head: 'At', kind: 'quiet', cell: (row) => formatDateTime(row.at) },
        { head: 'Amount', kind: 'figure', cell: (row) => formatUsdSigned(row.amount) },
      ]}
      card={(row) => (
        <>
          <CardLine>
            <Item row={row} />
            <span>{formatUsdSigned(row.amount)}</span>
          </CardLine>
          <CardLine quiet>
            <span>{row.email}</span>
            <span>{formatDateTime(row.at)}</span>
          </CardLine>
        </>
      )}
    />
  )
}

/** Leads to the deposit or withdrawal, for those who see it. */
function Item({ row }: { row: DeskMoney }) {
  const queue = row.kind === 'withdrawal' ? 'withdrawals' : 'deposits'
  const sees = useMay(QUEUES[queue].sees)
  const name = `${NAMES[row.kind]} ${row.item_id}`
  return sees ? <Link to={`/${queue}/${row.item_id}?user=${row.user_id}`}>{name}</Link> : name
}
