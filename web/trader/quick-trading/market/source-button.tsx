import { lazy, useState } from 'react'
import type { Instrument, PriceSource } from '#contract/prices/prices.ts'
import { Loaded, SourceBadge } from '#web/ui/index.ts'
import styles from './source-button.module.css'

const SourceDialog = lazy(() => import('./source-dialog.tsx'))

interface SourceButtonProps {
  source: PriceSource | undefined
  instrument: Instrument | undefined
  /** The server's note about the source. */
  note: string | undefined
}

/** Where prices come from: a badge that opens an explanation. */
export function SourceButton({ source, instrument, note }: SourceButtonProps) {
  const [open, setOpen] = useState(false)
  if (!source) return null
  return (
    <>
      <button type="button" className={styles.button} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <SourceBadge source={source} sources={instrument?.sources} />
      </button>
      <Loaded when={open}>
        <SourceDialog open={open} onClose={() => setOpen(false)} source={source} instrument={instrument} note={note} />
      </Loaded>
    </>
  )
}
