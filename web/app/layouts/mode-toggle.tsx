import { ArrowLeftRight } from 'lucide-react'
import { goLive, setMode, useMode } from '#web/api/index.ts'
import { Button } from '#web/ui/index.ts'

/** Labelled with the mode it switches to: 'Trade Demo' in real mode, 'Trade Live' in demo. */
export function ModeToggle({ wide, className }: { wide?: boolean; className?: string | undefined }) {
  const mode = useMode()
  return (
    <Button
      look="secondary"
      size="small"
      wide={wide}
      className={className}
      onClick={() => (mode === 'real' ? setMode('demo') : goLive())}
    >
      <ArrowLeftRight aria-hidden />
      {mode === 'real' ? 'Trade Demo' : 'Trade Live'}
    </Button>
  )
}
