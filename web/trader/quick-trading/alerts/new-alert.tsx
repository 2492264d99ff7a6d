import { AlertDialog } from '#web/alerts/index.ts'
import { livePrice } from '#web/api/index.ts'

/** A new alert that begins with the price on the chart. */
export default function NewAlert({ open, onClose, symbol }: { open: boolean; onClose: () => void; symbol: string }) {
  return <AlertDialog open={open} onClose={onClose} symbol={symbol} price={livePrice(symbol)?.price} />
}
