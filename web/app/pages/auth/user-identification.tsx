import { UserIdentification } from '#web/auth/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Identification') }]

export default function UserIdentificationPage() {
  return <UserIdentification />
}
