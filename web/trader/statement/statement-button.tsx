import { FileDown } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#web/ui/index.ts'
import { StatementModal } from './statement-modal.tsx'

/** Opens the statement's modal. */
export function StatementButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look="secondary" onClick={() => setOpen(true)}>
        <FileDown aria-hidden />
        Statement
      </Button>
      <StatementModal open={open} onClose={() => setOpen(false)} />
    </>
  )
}
