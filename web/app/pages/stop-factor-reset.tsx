import { StopFactorReset } from '#web/auth/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Keep your second factor') }]

export default function StopFactorResetPage() {
  return <StopFactorReset />
}
