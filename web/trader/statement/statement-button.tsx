import { FileDown } from 'lucide-react'
import { Button } from '#web/ui/index.ts'
import { openStatement } from './open-statement.ts'

/** The way to a statement, beside a list of money. */
export function StatementButton() {
  return (
    <Button look="secondary" onClick={openStatement}>
      <FileDown aria-hidden />
      Statement
    </Button>
  )
}
