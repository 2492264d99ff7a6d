import { Download } from 'lucide-react'
import type { Mode, TradesForm } from '#contract/trading/trading.ts'
import { endsOf, readFile, type TradeFilter, tradeQueryOf, useRequest } from '#web/api/index.ts'
import { Alert, Button, formatDate, saveFile } from '#web/ui/index.ts'

interface DownloadTradesProps {
  mode: Mode
  filter: TradeFilter
}

/** Downloads the trades that match the filter as CSV: for a spreadsheet, or gains and losses for a tax tool. */
export function DownloadTrades({ mode, filter }: DownloadTradesProps) {
  const { loading, error, run } = useRequest()
  const download = (form: TradesForm) =>
    run(async () => {
      const ends = endsOf(filter)
      const days = ends
        ? [ends[0] > 0 && formatDate(ends[0]), formatDate(Math.min(ends[1] - 1, Date.now()))]
        : [filter.from, filter.to]
      const parts = ['trades', mode === 'real' ? 'live' : 'demo', form === 'tax' && 'tax', ...days]
      const query = new URLSearchParams({ ...tradeQueryOf(mode, filter), form })
      saveFile(await readFile(`/trading/file?${query}`), `${parts.filter(Boolean).join('-')}.csv`)
    })
  return (
    <>
      <Alert>{error}</Alert>
      <Button look="secondary" loading={loading} onClick={() => void download('spreadsheet')}>
        <Download aria-hidden />
        Download CSV
      </Button>
      {mode === 'real' && (
        <Button
          look="secondary"
          loading={loading}
          title="Gains and losses in the columns of Koinly's universal template"
          onClick={() => void download('tax')}
        >
          <Download aria-hidden />
          CSV for tax tools
        </Button>
      )}
    </>
  )
}
