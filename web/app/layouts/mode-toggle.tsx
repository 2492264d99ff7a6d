import { ArrowLeftRight } from 'lucide-react'
import { toggleMode, useMode } from '#web/api/index.ts'
import { Button } from '#web/ui/index.ts'

/** Labelled with the mode it switches to: 'Trade Demo' in real mode, 'Trade Live' in demo. */
export function ModeToggle({ wide }: { wide?: boolean }) {
  const mode = useMode()
  return (
    <Button look="secondary" size="small" wide={wide} onClick={toggleMode}>
      <ArrowLeftRight aria-hidden />
      {mode === 'real' ? 'Trade Demo' : 'Trade Live'}
    </Button>
  )
}
