import { Link } from 'react-router'
import { setMode } from '#web/api/index.ts'
import { buttonClass } from '#web/ui/index.ts'

/** Skips this step: the demo needs none of them, and the app shows what is missing after sign-in. */
export const SkipStep = () => (
  <Link
    className={buttonClass({ look: 'quiet', size: 'large', wide: true })}
    to="/auth/signin"
    onClick={() => setMode('demo')}
  >
    Skip for now and try the demo
  </Link>
)
