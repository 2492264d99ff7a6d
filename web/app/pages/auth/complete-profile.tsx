import { CompleteProfile } from '#web/auth/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Complete your profile') }]

export default function CompleteProfilePage() {
  return <CompleteProfile />
}
