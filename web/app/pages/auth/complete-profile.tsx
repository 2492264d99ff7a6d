import { CompleteProfile } from '#web/auth/index.ts'

export const meta = () => [{ title: 'Complete your profile – Cleartick' }]

export default function CompleteProfilePage() {
  return <CompleteProfile />
}
