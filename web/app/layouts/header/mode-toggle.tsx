import { ArrowLeftRight } from 'lucide-react'
import { useNavigate } from 'react-router'
import { goLive, setMode, useIsGuest, useMode } from '#web/api/index.ts'
import { Button } from '#web/ui/index.ts'
import { KEEP } from '../menus/places.ts'

/** Labelled with the mode it switches to: 'Trade Demo' in real mode, 'Trade Live' in demo, which a guest gets with an account. */
export function ModeToggle({ wide, className }: { wide?: boolean; className?: string | undefined }) {
  const mode = useMode()
  const isGuest = useIsGuest()
  const navigate = useNavigate()
  const toLive = () => (isGuest ? void navigate(KEEP) : goLive())
  return (
    <Button
      look="secondary"
      size="small"
      wide={wide}
      className={className}
      onClick={() => (mode === 'real' ? setMode('demo') : toLive())}
    >
      <ArrowLeftRight aria-hidden />
      {mode === 'real' ? 'Trade Demo' : 'Trade Live'}
    </Button>
  )
}
