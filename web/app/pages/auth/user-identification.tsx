import { UserIdentification } from '#web/auth/index.ts'

export const meta = () => [{ title: 'Identification – Cleartick' }]

export default function UserIdentificationPage() {
  return <UserIdentification />
}
