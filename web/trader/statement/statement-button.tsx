import { FileDown } from 'lucide-react'
import { Button } from '#web/ui/index.ts'
import { openStatement } from './open-statement.ts'

/** The button that opens the statement modal, next to deposit and withdrawal lists. */
export function StatementButton() {
  return (
    <Button look="secondary" onClick={openStatement}>
      <FileDown aria-hidden />
      Statement
    </Button>
  )
}
